// Which words of a text another one does not have, in this order.

function wordsOf(text, language) {
  if (!Intl.Segmenter) return [...text];
  const words = new Intl.Segmenter(language, {granularity: "word"}).segment(text);
  return Array.from(words, word => word.segment);
}

// Writes the text into a place; its words that the other text lacks are marked.
function writeMarked(place, text, other, language) {
  const words = wordsOf(text, language), alike = inBoth(words, wordsOf(other, language));
  place.replaceChildren(...words.map((word, i) => {
    if (alike.has(i) || !word.trim()) return word;
    const mark = document.createElement("mark");
    mark.textContent = word;
    return mark;
  }));
}

// Places in the first list of its longest common subsequence with the second.
function inBoth(first, second) {
  const longest = first.map(() => second.map(() => 0));
  const at = (i, j) => longest[i]?.[j] ?? 0;
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--) {
      longest[i][j] = first[i] === second[j] ? 1 + at(i + 1, j + 1)
                                             : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found = new Set();
  for (let i = 0, j = 0; i < first.length && j < second.length;) {
    if (first[i] === second[j]) { found.add(i); i++; j++; }
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return found;
}
