"""Which real clp-s reads back what we write."""
from clps_peer import tool

from .writer import any_order, came_back

# Wheels by the archive version; none that reads 0.3.1 as it was meant.
READERS = {"0.5.0": (tool.VERSION,), "0.4.1": (tool.VERSION, "0.9.1b1"), "0.3.1": ()}


def readers(version):
    """Those of them that are here."""
    paths = {name: tool.binary() if name == tool.VERSION else tool.old_binary(name) for name in READERS[version]}
    return {name: tool.Tool(path) for name, path in paths.items() if path is not None}


def decompressed_alike(archive, options, wanted):
    """Every real clp-s of that version gives back these values, in both orders."""
    for name, peer in readers(options.version).items():
        assert any_order(came_back(peer.decompress(archive))) == any_order(wanted), name
        if options.log_order:
            assert came_back(peer.decompress(archive, ordered=True)) == wanted, name
