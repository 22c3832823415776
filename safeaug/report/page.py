"""A page of a record that needs no network: the verdict first, then where and why; with pictures, the gallery."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from safeaug.auditing.assess import Assessment
from safeaug.auditing.pipelines import pipeline_of
from safeaug.auditing.record import Record
from safeaug.auditing.source import source_of
from safeaug.auditing.subject import Subject, checked_subject, is_open
from safeaug.data import Sample, read_torch
from safeaug.data.remarks import printable
from safeaug.errors import DataError
from safeaug.report.gallery.card import run_id
from safeaug.report.gallery.folder import INDEX, MARKER, marker, staged, write, write_file
from safeaug.report.gallery.names import Names
from safeaug.report.gallery.writing import PAGES, Told, check_place, write_gallery
from safeaug.report.view import view_of


def to_html(
    record: Record,
    path: str | Path,
    assessment: Assessment | None = None,
    *,
    pipeline: Any = None,
    data: Any = None,
    protect: Subject | None = None,
    worst: int | None = None,
    random: int | None = None,
    names: Names = "short",
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a record as a page, and return where it lies.

    Parameters
    ----------
    record : Record
        Of `safeaug.audit`.
    path : path
        A file that ends in ``.html``; or a folder, which is made where it is not there yet.
    assessment : Assessment, optional
        By which limits the record is judged: what its ``summary`` has returned. By default there are none.
    pipeline, data : optional
        What was audited: with both, the draws that the record holds are made again, and shown. As `safeaug.audit` takes
        them; or the texts that a record names them by, ``record.about.pipeline`` and ``record.about.data``. Opening
        these runs the module that they name.
    protect : {"boxes", "outlines", "masks", "mask", "picture"}, optional
        What was followed, if the audit was told.
    worst, random : int, optional
        How many of the worst draws, and of those at random, are shown at most; by default all that the record holds.
    names : {"short", "full"}
        Whether paths and ids are shown without the folders that only say where the files lie on this machine.
    force : bool, default False
        Whether a folder will do that is there and is not ours. Other files in it stay as they are.
    progress : callable, optional
        Is told how many draws are shown already, and how many there are.

    Returns
    -------
    Path
        Of the page. With pictures, what is beyond 25 MB lies beside it in the folder, in files of its own.

    Raises
    ------
    OutputError
        Where the page cannot be written there. What was there before is there still.
    DataError
        Where the data have none of the samples that the record is about, or a text names nothing.

    Notes
    -----
    Labels, ids and file names are somebody else's text. They are escaped, what cannot be printed is written out, and
    the page forbids its browser to load anything from elsewhere, or to run anything but its own script.

    Examples
    --------
    >>> import tempfile
    >>> import albumentations as A, numpy as np, safeaug
    >>> from safeaug.data import Sample
    >>> train = A.Compose([A.RandomCrop(50, 50)], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]))
    >>> box, picture = np.array([[20.0, 50, 70, 90]]), np.zeros((100, 200, 3), np.uint8)
    >>> data = [Sample("0", (100, 200), boxes=box, labels=("cat",), ignore=np.array([False]), image=picture)]
    >>> record = safeaug.audit(train, data, draws=8)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     to_html(record, folder, pipeline=train, data=data).name
    'index.html'
    """
    place, judged = Path(path), assessment or record.summary()
    check_place(place, force=force)
    if (pipeline is None) != (data is None):
        given, lacking = ("data", "pipeline") if pipeline is None else ("pipeline", "data")
        raise DataError(f"pictures take the pipeline and the data, got {given} alone; give {lacking} too")
    if pipeline is None:
        return _plain(record, judged, place, force)
    told = Told(*_opened(pipeline, data, protect), worst, random, names)
    return write_gallery(record, judged, told, place, force=force, progress=progress).page


def _plain(record: Record, assessment: Assessment, path: Path, force: bool) -> Path:
    """Write a page without pictures."""
    page = page_of(record, assessment).encode()
    if path.suffix.lower() in PAGES:
        write_file(path, page)
        return path
    with staged(path, force=force) as stage:
        write(stage / INDEX, page)
        write(stage / MARKER, marker(run_id(record)))
    return path / INDEX


def _opened(pipeline: Any, data: Any, protect: Subject | None) -> tuple[Any, Sequence[Sample], Subject | None]:
    """Return what was audited, opened where it is given as text."""
    if isinstance(pipeline, str):
        pipeline = pipeline_of(pipeline)
    subject = None if protect is None else checked_subject(protect)
    if isinstance(data, str):
        source = source_of(data)
        return pipeline, source._replace(keep_going=True, deny=None).open(), subject or source.protect
    return pipeline, data if is_open(data) else read_torch(data), subject


def page_of(record: Record, assessment: Assessment) -> str:
    """Return the page of a record, judged as an assessment does."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def harmless(value: Any) -> Any:
        """Return a text in which nothing acts; the template's own parts are left as they are."""
        return printable(value) if type(value) is str else value

    style = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = Environment(
        loader=PackageLoader("safeaug.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=harmless,
    )
    shown = view_of(record, assessment)._asdict()
    template = environment.get_template("page.html.jinja")
    return template.render(page={**shown, "style": Markup(style), "hash": digest})
