"""Pascal VOC: corners counted from 1, difficult objects, and XML that is out for harm."""

import pytest

from safeaug import Policy
from safeaug.data import read_voc, readings
from safeaug.errors import DataError
from safeaug.objects import content_from
from tests import data_worlds as worlds
from tests.data_worlds import Thing

CAT = Thing((10, 20, 40, 60), "cat")


def test_l3_corners_are_pixels_counted_from_1(tmp_path):
    worlds.write(tmp_path / "a.xml", worlds.voc([CAT, Thing((0, 0, 640, 480), "dog", ignore=True)]))
    sample = read_voc(tmp_path)[0]
    assert (sample.id, sample.size, sample.path) == ("a", (480, 640), None)
    assert sample.boxes.tolist() == [[10, 20, 40, 60], [0, 0, 640, 480]]
    assert sample.labels == ("cat", "dog")
    assert sample.ignore.tolist() == [False, True]
    assert sample.remarks == ()
    content = content_from(sample.size, Policy(), boxes=sample.boxes, labels=sample.labels, ignore=sample.ignore)
    assert list(content.origin) == [0], "a difficult object must not be asked for"


def test_edges_written_in_the_same_format_are_read_when_that_is_said(tmp_path):
    worlds.write(tmp_path / "a.xml", worlds.voc([CAT, Thing((0, 0, 640, 480), "dog")], offset=0))
    assert read_voc(tmp_path, one_based=False)[0].boxes.tolist() == [[10, 20, 40, 60], [0, 0, 640, 480]]
    guessed = read_voc(tmp_path)[0]
    assert guessed.boxes.tolist() == [[9, 19, 40, 60], [0, 0, 640, 480]]
    assert [(remark.kind, "one_based=False" in remark.text) for remark in guessed.remarks] == [("from zero", True)]


BOMB = '<!DOCTYPE a [<!ENTITY b "ha">' + "".join(
    f'<!ENTITY {chr(98 + i + 1)} "{f"&{chr(98 + i)};" * 10}">' for i in range(9)
) + "]>"  # fmt: skip
DOCTYPES = [
    BOMB,
    '<!DOCTYPE annotation SYSTEM "file:///etc/hostname">',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
    "<!DOCTYPE annotation>",
]


@pytest.mark.parametrize("head", DOCTYPES, ids=["bomb", "external", "entity", "bare"])
@pytest.mark.parametrize("keep_going", [False, True])
def test_l3_document_types_are_refused(tmp_path, head, keep_going):
    text = "\n" + head + worlds.voc([Thing((1, 2, 3, 4), "&k;" if head is BOMB else "cat")])
    worlds.write(tmp_path / "a.xml", text)
    with pytest.raises(DataError, match="must declare no document type") as caught:
        read_voc(tmp_path, keep_going=keep_going)[0]
    assert caught.value.where == f"{tmp_path / 'a.xml'}:2"


def changed(old, new):
    text = worlds.voc([CAT, Thing((1, 2, 3, 4), "dog")])
    assert old in text
    return text.replace(old, new, 1)


OBJECTS = [
    ("no name", "<name>cat</name>", "", 4, "<name> of the object's class"),
    ("no box", "<xmin>11</xmin>", "", 4, "expected <xmin> in 'bndbox/xmin', which is missing"),
    ("words", "<xmin>11</xmin>", "<xmin>left</xmin>", 7, "bndbox/xmin must be a number, got 'left'"),
    ("without end", "<ymin>21</ymin>", "<ymin>inf</ymin>", 8, "bndbox/ymin must be a number, got 'inf'"),
    ("difficult to say", "<difficult>0<", "<difficult>very<", 6, "difficult must be a number, got 'very'"),
    ("swapped", "<xmin>11</xmin>", "<xmin>99</xmin>", 4, "x0 <= x1 and y0 <= y1"),
]


@pytest.mark.parametrize("old, new, line, message", [row[1:] for row in OBJECTS], ids=[row[0] for row in OBJECTS])
def test_an_object_that_is_malformed_stops_at_its_line_or_is_left_out(tmp_path, old, new, line, message):
    path = worlds.write(tmp_path / "a.xml", changed(old, new))
    with pytest.raises(DataError) as caught:
        read_voc(tmp_path)[0]
    assert caught.value.where == f"{path}:{line}"
    assert message in str(caught.value)
    sample = read_voc(tmp_path, keep_going=True)[0]
    assert sample.labels == ("dog",)
    assert [remark.where for remark in sample.remarks] == [caught.value.where]


FILES = [
    ("nothing", "", ":1", "no element found"),
    ("cut off", worlds.voc([CAT])[:120], None, "expected XML"),
    ("another", "<html></html>", ":1", "expected <annotation> of Pascal VOC, got 'html'"),
    ("an encoding of nobody", '<?xml version="1.0" encoding="klingon"?><annotation/>', None, "expected XML"),
    ("bytes that are no text", b"<annotation>\n\xff</annotation>", ":2", "expected XML"),
    ("an unknown entity", "<annotation>&x;</annotation>", ":1", "undefined entity"),
    ("half a size", changed("<width>640</width>", ""), "", "size/width"),
    ("a width of words", changed("<width>640</width>", "<width>wide</width>"), ":3", "size/width must be a number"),
    ("half a pixel", changed("<width>640</width>", "<width>640.5</width>"), ":3", "whole numbers of at least 1"),
    ("a negative width", changed("<width>640</width>", "<width>-640</width>"), ":3", "whole numbers of at least 1"),
    ("too many pixels", changed("<width>640</width>", "<width>1e12</width>"), ":3", "at most 178956970 pixels"),
    ("no size", changed("<size><width>640</width><height>480</height></size>", ""), "", "or a picture; got neither"),
]


@pytest.mark.parametrize("text, line, message", [row[1:] for row in FILES], ids=[row[0] for row in FILES])
@pytest.mark.parametrize("keep_going", [False, True])
def test_a_file_that_is_malformed_is_a_sample_that_cannot_be_read(tmp_path, text, line, message, keep_going):
    path = worlds.write(tmp_path / "a.xml", text)
    worlds.write(tmp_path / "b.xml", worlds.voc([CAT]))
    data = read_voc(tmp_path, keep_going=keep_going)
    with pytest.raises(DataError) as caught:
        data[0]
    assert message in str(caught.value)
    assert caught.value.where == f"{path}{line}" if line is not None else caught.value.where.startswith(str(path))
    remark, sample = readings(data)
    assert remark == (caught.value.kind, caught.value.where, caught.value.message)
    assert sample.labels == ("cat",)


def test_parts_of_an_object_are_not_taken_for_it(tmp_path):
    part = "<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part>"
    worlds.write(tmp_path / "a.xml", changed("<object>\n", "<object>\n" + part))
    sample = read_voc(tmp_path)[0]
    assert sample.labels == ("cat", "dog")
    assert sample.boxes[0].tolist() == [10, 20, 40, 60]


def test_the_first_of_several_values_counts(tmp_path):
    worlds.write(tmp_path / "a.xml", changed("<name>cat</name>", "<name>cat</name><name>other</name>"))
    assert read_voc(tmp_path)[0].labels == ("cat", "dog")


def test_elements_in_elements_without_end_are_read_over(tmp_path):
    worlds.write(tmp_path / "a.xml", changed("<object>\n", "<a>" * 50_000 + "</a>" * 50_000 + "<object>\n"))
    assert read_voc(tmp_path)[0].labels == ("cat", "dog")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_encodings_are_as_the_file_says(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + worlds.voc([Thing((1, 2, 3, 4), "Bär &lt;script&gt;")])
    worlds.write(tmp_path / "a.xml", text.encode(encoding))
    assert read_voc(tmp_path)[0].labels == ("Bär <script>",)


def test_the_folders_of_the_original_are_found(tmp_path):
    worlds.write(tmp_path / "Annotations" / "a.xml", worlds.voc([CAT], name="named.jpg"))
    worlds.write(tmp_path / "Annotations" / "b.xml", worlds.voc([CAT], name="C:\\photos\\b.jpg"))
    worlds.write(tmp_path / "Annotations" / "c.xml", worlds.voc([CAT], name="d"))
    for name in ("named.jpg", "b.jpg", "d.png"):
        worlds.save(tmp_path / "JPEGImages" / name)
    samples = list(read_voc(tmp_path))
    assert [(sample.id, sample.path.name) for sample in samples] == [("a", "named.jpg"), ("b", "b.jpg"), ("c", "d.png")]


def test_where_there_are_pictures_each_must_be_there_and_agree(tmp_path):
    for name, size in (("a", (480, 640)), ("b", (480, 640)), ("c", (0, 0)), ("d", (20, 40))):
        worlds.write(tmp_path / f"{name}.xml", worlds.voc([CAT], size, f"{name}.jpg"))
    worlds.save(tmp_path / "pictures" / "a.jpg")
    worlds.save(tmp_path / "pictures" / "c.jpg", (100, 200))
    worlds.save(tmp_path / "pictures" / "d.jpg", (20, 40), orientation=8)
    agreeing, missing, sized, turned = readings(read_voc(tmp_path, images=tmp_path / "pictures"))
    assert agreeing.size == (480, 640)
    assert (missing.kind, missing.where) == ("missing", str(tmp_path / "b.xml"))
    assert sized.size == (100, 200)
    assert turned.kind == "other size"


def test_a_picture_outside_of_its_folder_is_never_looked_at(tmp_path):
    worlds.write(tmp_path / "set" / "a.xml", worlds.voc([CAT], name="../secret.png"))
    worlds.save(tmp_path / "secret.png")
    worlds.save(tmp_path / "set" / "other.png")
    with pytest.raises(DataError, match="expected a picture named"):
        read_voc(tmp_path / "set")[0]


def test_a_box_of_one_pixel_is_said(tmp_path):
    worlds.write(tmp_path / "a.xml", worlds.voc([Thing((10, 20, 11, 60), "cat"), CAT]))
    sample = read_voc(tmp_path)[0]
    assert sample.boxes.tolist() == [[10, 20, 11, 60], [10, 20, 40, 60]]
    assert [(remark.kind, remark.rule) for remark in sample.remarks] == [("no area", "SA4")]


def test_an_annotation_that_cannot_be_opened_is_said(tmp_path):
    (tmp_path / "a.xml").symlink_to(tmp_path / "gone.xml")
    with pytest.raises(DataError, match="cannot be read") as caught:
        read_voc(tmp_path)[0]
    assert (caught.value.kind, caught.value.where) == ("unreadable", str(tmp_path / "a.xml"))


def test_a_folder_without_annotations_is_said(tmp_path):
    with pytest.raises(DataError, match=r"without files that end in \.xml"):
        read_voc(tmp_path)
    with pytest.raises(DataError, match="expected a folder of annotations"):
        read_voc(tmp_path / "nowhere")
