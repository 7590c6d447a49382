"""The inputs among the fixtures, and how the peer's archives of them were made."""
import dataclasses

from program import FIXTURES

from .writer import Options

CLPS = FIXTURES / "clp-s"
TIMESTAMP_KEYS = {"in-service": "ts", "in-ts_iso": "t", "in-ts_iso_v041": "t", "in-ts_tz": "t", "in-ts_epoch": "meta.t"}
JSON = sorted(CLPS.glob("in-*.jsonl"))
KV_IR = sorted(CLPS.glob("in-kvir-*.clp"))


@dataclasses.dataclass(frozen=True)
class Peers:
    """An archive that the real clp-s made of these inputs, with these options."""
    archive: str
    inputs: tuple
    options: Options


def _peers(archive, *inputs, **options):
    version = ".".join(archive[1:4])
    return Peers(archive, tuple(f"{name}.jsonl" for name in inputs), Options(version=version, **options))


# Without those where the old writer lost text.
PEERS = [
    _peers("v031-service-noorder.dir", "in-service", single_file=False, log_order=False),
    _peers("v031-scalars.clps", "in-scalars"),
    _peers("v031-floats.clps", "in-floats"),
    _peers("v031-arrays-structured.clps", "in-arrays", structurize_arrays=True),
    _peers("v031-arrays-plain.clps", "in-arrays"),
    _peers("v031-two-files.clps", "in-two_a", "in-two_b"),
    _peers("v031-manytables.clps", "in-manytables", min_table_size=100),
    _peers("v041-floats.clps", "in-floats"),
    _peers("v050-service.clps", "in-service", timestamp_key="ts"),
    _peers("v050-service-noorder.dir", "in-service", single_file=False, log_order=False),
    _peers("v050-scalars.clps", "in-scalars"),
    _peers("v050-floats-noretain.clps", "in-floats", retain_float_format=False),
    _peers("v050-clpstrings.clps", "in-clpstrings"),
    _peers("v050-varstrings.clps", "in-varstrings"),
    _peers("v050-arrays-plain.clps", "in-arrays"),
    _peers("v050-arrays-structured.clps", "in-arrays", structurize_arrays=True),
    _peers("v050-keys.clps", "in-keys"),
    _peers("v050-two-files.clps", "in-two_a", "in-two_b"),
    _peers("v050-manytables.clps", "in-manytables", min_table_size=100, level=19),
    _peers("v050-concat-nested.clps", "in-concat", "in-nested"),
    _peers("v050-ts-iso.clps", "in-ts_iso", timestamp_key="t"),
    _peers("v050-ts-tz.clps", "in-ts_tz", timestamp_key="t"),
    _peers("v050-ts-epoch.clps", "in-ts_epoch", timestamp_key="meta.t"),
]
