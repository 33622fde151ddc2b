"""Writes the models of this folder by JoeyNMT's own code, with what it computes of some sentences.

Runs in JoeyNMT's environment (`make peers`): python -P tests/runs/joeynmt/make.py. Weights are
random; `expected.json` has each target word's log probability and the attention at each step.
"""

import json
from pathlib import Path
from types import SimpleNamespace

import torch
import yaml
from joeynmt.config import _check_special_symbols
from joeynmt.model import build_model
from joeynmt.vocabulary import Vocabulary

CHANGES = {
    "bahdanau": ({}, {}),
    "luong": (
        {"embeddings": {"embedding_dim": 5, "scale": True}},
        {
            "embeddings": {"embedding_dim": 5, "scale": True},
            "attention": "luong",
            "input_feeding": False,
        },
    ),
    "layers": ({"num_layers": 2}, {"num_layers": 2}),
}
"""Of the encoder and of the decoder."""
SHARED = {"type": "recurrent", "rnn_type": "lstm", "embeddings": {"embedding_dim": 5}}
WORDS = {
    "src": ["the", "cat", "sat", "on", "mat", "a"],
    "trg": ["die", "Katze", "saß", "auf", "der", "Matte", "ein"],
}
PAIRS = [("the cat sat on a mat", "die Katze saß auf"), ("a dog", "ein ein Matte")]


def make(folder: Path, encoder: dict, decoder: dict):
    """A model's checkpoint, settings and vocabularies, and what it computes."""
    folder.mkdir(exist_ok=True)
    torch.manual_seed(0)
    symbols = SimpleNamespace(**_check_special_symbols({}))
    vocabularies = {side: Vocabulary(words, symbols) for side, words in WORDS.items()}
    for side, vocabulary in vocabularies.items():
        vocabulary.to_file(folder / f"{side}_vocab.txt")
    model = {
        "bias_initializer": "normal",
        "bias_init_weight": 0.5,
        "encoder": SHARED | {"hidden_size": 4} | encoder,
        "decoder": SHARED | {"hidden_size": 6} | decoder,
    }
    data = {"src": {"lang": "en", "level": "word"}, "trg": {"lang": "de", "level": "word"}}
    settings = {"name": folder.name, "data": data, "model": model}
    (folder / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    net = build_model(model, vocabularies["src"], vocabularies["trg"]).eval()
    with torch.no_grad():
        for weights in net.parameters():
            weights.mul_(2.0)
    state = {"model_state": net.state_dict(), "stats_state": {"steps": 7}}
    state["optimizer_state"] = torch.optim.SGD(net.parameters(), 0.1).state_dict()
    torch.save(state, folder / "best.ckpt")
    found = [computed(net, vocabularies, *pair) for pair in PAIRS]
    text = json.dumps(found, ensure_ascii=False, indent=1)
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")


@torch.no_grad()
def computed(net, vocabularies, source: str, target: str) -> dict:
    """Log probabilities of a translation's words, and attention."""
    ids = [vocabularies["src"].lookup(word) for word in source.split()]
    read = torch.tensor([[*ids, net.eos_index]])
    words = [vocabularies["trg"].lookup(word) for word in target.split()]
    words = [net.bos_index, *words, net.eos_index]
    mask = torch.ones(1, 1, read.shape[1], dtype=torch.bool)
    states, last = net.encoder(net.src_embed(read), torch.tensor([read.shape[1]]), mask)
    logits, _, attention, _ = net.decoder(
        trg_embed=net.trg_embed(torch.tensor([words[:-1]])),
        encoder_output=states,
        encoder_hidden=last,
        src_mask=mask,
        unroll_steps=len(words) - 1,
    )
    log_probs = torch.log_softmax(logits, -1)[0]
    return {
        "source": source,
        "target": target,
        "log_probs": [float(log_probs[step, word]) for step, word in enumerate(words[1:])],
        "attention": attention[0].tolist(),
    }


if __name__ == "__main__":
    for name, changes in CHANGES.items():
        make(Path(__file__).with_name(name), *changes)
