"""Maps kept on disk, found by the content of the picture.

A cache is a folder of shards. A shard is one file that is written whole under another name, put in place by a rename
and never changed, so any number of processes may write and read at once, without locks, on network folders too. What is
torn all the same, as by a full disk or a broken copy, is told from its length and its check sums, and made again. Every
shard says how its maps were made; a folder holds those of one method, size and version only.

keys.py      what names a picture: its pixels, or its file
shard.py     one file of maps
store.py     MapCache: a folder of them
cached.py    Cached: the provider that looks there first
"""

from safeaug.saliency.cache.cached import Cached
from safeaug.saliency.cache.keys import file_key, pixels_key
from safeaug.saliency.cache.store import MapCache

__all__ = ["Cached", "MapCache", "file_key", "pixels_key"]
