"""What MkDocs asks while it builds the site: numbers are filled in, results become pages."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.letters import style_sheet
from docs.numbers import PAGES, rendered
from docs.stored import RESULTS

GENERATED = ("study", "benchmarks")
"""Folders of `experiments/results` whose pages and pictures are shown as they are."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    shown = list(PAGES.rglob("*.md"))
    for folder in GENERATED:
        for path in sorted((RESULTS / folder).iterdir()):
            if path.suffix in (".md", ".png"):
                name = Path("stored", folder, path.name).as_posix()
                files.append(File.generated(config, name, abs_src_path=str(path)))
                shown += [path] if path.suffix == ".md" else []
    texts = [path.read_text(encoding="utf-8") for path in shown]
    font = style_sheet("".join(texts))
    files.append(File.generated(config, "assets/letters.css", content=font))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return markdown if page.file.generated_by else rendered(markdown)
