#!/usr/bin/env python
"""Exit code 0 when a runner of this host was heard by the database in the last two minutes: a health check of containers.

It asks the database itself, as importing the application takes seconds of a processor. One that does not answer says
nothing of the runner, which keeps what has ended until it is back and would lose it if it were started
again: exit code 0 then.
"""

import os
import socket
import sys
from pathlib import Path

import psycopg

address = os.environ["DATABASE_URL"]
if address.startswith("@"):
    address = Path(address[1:]).read_text().strip()
scheme, _, rest = address.partition("://")
try:
    with psycopg.connect(f"{scheme.partition('+')[0]}://{rest}", connect_timeout=4) as connection:
        heard = connection.execute(
            "SELECT count(*) FROM runners WHERE host = %s AND seen > now() - interval '2 minutes'",
            [socket.gethostname()],
        ).fetchone()
except psycopg.OperationalError:
    print("the database does not answer")
    sys.exit(0)
sys.exit(0 if heard and heard[0] else 1)
