"""Screenshots of a page for the README: light, dark, and one draw in detail.

Run as ``python gallery/shots.py gallery-pages/chain-plain.html [--out DIR] [--chromium PATH]``. Needs playwright and a
Chromium, which the gallery itself does not.
"""

import io
from pathlib import Path
from typing import Annotated, Literal

import typer
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from sheet import small

WIDTH, HEIGHT = 1200, 900
"""Of the window, in pixels."""


def opened(browser: Browser, theme: Literal["light", "dark"]) -> Page:
    """Return a new tab in a theme, in which nothing moves."""
    size: ViewportSize = {"width": WIDTH, "height": HEIGHT}
    return browser.new_page(viewport=size, color_scheme=theme, reduced_motion="reduce")


def shot(page: Page) -> Image.Image:
    """Return what the window shows."""
    with Image.open(io.BytesIO(page.screenshot())) as image:
        return image.convert("RGB")


def main(
    page: Annotated[Path, typer.Argument(help="A page that build.py wrote.", exists=True, dir_okay=False)],
    out: Annotated[Path, typer.Option(help="The folder to write to.", file_okay=False)] = Path(__file__).parent,
    chromium: Annotated[Path, typer.Option(help="The browser.")] = Path("/usr/bin/chromium"),
) -> None:
    """Write light.png, dark.png and detail.png."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(chromium), args=["--no-sandbox"])
        light, dark = opened(browser, "light"), opened(browser, "dark")
        for tab in (light, dark):
            tab.goto(page.resolve().as_uri())
            tab.wait_for_selector(".card")
        (out / "light.png").write_bytes(small(shot(light)))
        dark.evaluate("document.querySelector('#draws').scrollIntoView({behavior: 'instant'})")
        dark.wait_for_function("document.querySelector('.card img').complete")
        dark.wait_for_function("document.querySelector('#draws').getBoundingClientRect().top < 100")
        (out / "dark.png").write_bytes(small(shot(dark)))
        light.locator(".card .open").first.click()
        light.wait_for_selector("dialog[open]")
        (out / "detail.png").write_bytes(small(shot(light)))
        browser.close()


if __name__ == "__main__":
    typer.run(main)
