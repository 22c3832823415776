"""The gallery: what a pipeline made of the draws that an audit kept in full, worst first, as one page.

The data side::

    picks.py     which draws are shown, and under which tabs
    places.py    where their samples stand in the data
    pairs.py     a draw made again with pixels: before and after, every step between, the same with a guard
    thumbs.py    small pictures as files, made of pixels alone
    params.py    what a step drew, in short texts
    card.py      Card: all that a page knows of a draw; run_id: whose its review is
    telling.py   a draw as a card tells of it, from its row, or from how the pipeline raised
    names.py     paths without the folders that say where a machine's files are
    book.py      cards bound into the page itself, or into shards beside it
    folder.py    folders of ours, written aside and put in place whole
    writing.py   write_gallery: all of it

The page::

    render.py    a page of an assessment, a record and cards, by the files below
    charts.py    what its charts are drawn from
    spread.py    tables of counts for them

    gallery.html.jinja    the page, and its tables
    figures.html.jinja    charts as SVG, and the figures behind each
    gallery.css           how it looks: light, dark, narrow, on paper
    app.js                cards: shown, sorted, filtered, opened, reviewed
"""
