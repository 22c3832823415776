"""Counts see the draws of every process, and speak up once."""

import copy
import logging
import multiprocessing
import pickle
import threading

import numpy as np
import pytest

import safeaug as sa
from safeaug.counts import ROWS, Counts
from safeaug.policy import Status


def add_many(counts, status, times):
    for _ in range(times):
        counts.add(status)


def draw_many(crop, times):
    for _ in range(times):
        crop(image=np.zeros((20, 20, 3), np.uint8), bboxes=np.array([[0.1, 0.1, 0.2, 0.2]]))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_draws_of_other_processes_are_seen(method):
    context, counts = multiprocessing.get_context(method), Counts("crop")
    workers = [context.Process(target=add_many, args=(counts, status, 500)) for status in (Status.FIRST, Status.MOVED)]
    workers += [context.Process(target=add_many, args=(counts, Status.FIRST, 500))]
    for worker in workers:
        worker.start()
    add_many(counts, Status.UNMET, 5)
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert counts.report() == {"FIRST": 1000, "MOVED": 500, "UNMET": 5}


def test_draws_of_a_crop_in_workers_are_seen():
    crop = sa.albumentations.RandomCrop(10, 10)
    worker = multiprocessing.get_context("fork").Process(target=draw_many, args=(crop, 50))
    worker.start()
    worker.join()
    draw_many(crop, 10)
    assert sum(crop.report().values()) == 60


def test_no_count_is_lost_between_threads():
    counts = Counts("crop")
    threads = [threading.Thread(target=add_many, args=(counts, Status.FIRST, 3000)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts.report() == {"FIRST": 24_000}


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda counts: pickle.loads(pickle.dumps(counts))])
def test_a_copy_begins_at_zero(copier):
    counts = Counts("crop")
    counts.add(Status.FIRST)
    other = copier(counts)
    assert other.report() == {}
    other.add(Status.MOVED)
    assert counts.report() == {"FIRST": 1}


def test_every_process_has_its_row(monkeypatch):
    monkeypatch.setattr("safeaug.counts.get_spawning_popen", lambda: object())
    counts = Counts("crop")
    rows = [counts.__reduce__()[1][-1] for _ in range(ROWS)]
    assert rows[: ROWS - 1] == list(range(1, ROWS))
    assert rows[-1] == 1  # more processes than rows: they are given out again


def test_a_forked_process_takes_the_next_row(monkeypatch):
    counts = Counts("crop")
    counts.add(Status.FIRST)
    with monkeypatch.context() as child:
        child.setattr("safeaug.counts.current_process", lambda: "another")
        counts.add(Status.FIRST)
        counts.add(Status.MOVED)
    assert counts._row == 1
    assert counts.report() == {"FIRST": 2, "MOVED": 1}


def test_without_fork_a_lock_of_this_process_does(monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    counts = Counts("crop")
    counts.add(Status.FIRST)
    assert counts.report() == {"FIRST": 1}


def test_it_warns_once_when_more_than_a_twentieth_of_a_hundred_is_unmet(caplog):
    counts = Counts("RandomCrop")
    add_many(counts, Status.NOT_APPLIED, 1000)  # left out: says nothing about the promise
    add_many(counts, Status.UNMET, 6)
    add_many(counts, Status.FIRST, 93)
    assert not caplog.records  # 99 draws
    with caplog.at_level(logging.WARNING, logger="safeaug"):
        counts.add(Status.UNMET)
        add_many(counts, Status.UNMET, 50)
    assert [record.name for record in caplog.records] == ["safeaug"]
    assert "RandomCrop: the promise could not be met in 7 of the first 100 draws" in caplog.text


def test_a_rare_unmet_is_no_warning(caplog):
    counts = Counts("RandomCrop")
    add_many(counts, Status.FIRST, 1000)
    add_many(counts, Status.UNMET, 50)
    assert not caplog.records


def test_two_processes_warn_once(caplog):
    counts = Counts("RandomCrop")
    add_many(counts, Status.FIRST, 96)
    add_many(counts, Status.UNMET, 3)

    class Late:
        """A lock that another process held while it gave the warning."""

        def __enter__(self):
            counts._cells[-1] = 1

        def __exit__(self, *_):
            return None

    counts._lock = Late()
    add_many(counts, Status.UNMET, 5)
    assert counts._cells[-1] == 1
    assert not caplog.records


def test_a_spawned_process_joins_the_table(monkeypatch):
    counts = Counts("crop")
    monkeypatch.setattr("safeaug.counts.get_spawning_popen", lambda: object())
    make, arguments = counts.__reduce__()
    other = make(*arguments)
    other.add(Status.MOVED)
    counts.add(Status.FIRST)
    assert counts.report() == other.report() == {"FIRST": 1, "MOVED": 1}
