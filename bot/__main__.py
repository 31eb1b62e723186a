"""The command line: `python -m bot` or `paperboy`, with the subcommands run, chat, say, check, manifest, db."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bot import __version__
from bot.errors import ConfigError, OperatorError
from bot.text import one_line

OK, FAULT, USAGE = 0, 1, 2


def parser() -> argparse.ArgumentParser:
    """The arguments of every subcommand."""
    result = argparse.ArgumentParser(prog="paperboy", description="A bot for a conference's papers.")
    result.add_argument("--version", action="version", version=f"paperboy {__version__}")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--config", type=Path, metavar="FILE", help="config file (default: config.yaml, if there is one)"
    )
    commands = result.add_subparsers(dest="subcommand", metavar="COMMAND", required=True)
    commands.add_parser("run", parents=[shared], help="start the configured adapters; without any, the terminal chat")
    commands.add_parser("chat", parents=[shared], help="talk to the bot in this terminal")
    say = commands.add_parser("say", parents=[shared], help="answer one command, or one a line from standard input")
    say.add_argument("words", nargs="+", help='what to say, such as "search kv cache"; - reads standard input')
    say.add_argument("--as", dest="form", choices=("plain", "json"), default="plain", help="form of the answer")
    manifest = commands.add_parser(
        "manifest", parents=[shared], help="print what a platform must be told about the bot"
    )
    manifest.add_argument("platform", help="such as slack or discord")
    store = commands.add_parser("db", parents=[shared], help="the store: bring it up to date, back it up, restore it")
    store.add_argument("action", choices=("upgrade", "backup", "restore"))
    store.add_argument("file", nargs="?", type=Path, help="the backup to write or read")
    commands.add_parser("check", parents=[shared], help="validate config and corpus, print what was found")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit status: 0 done, 1 a fault, 2 wrong usage or settings."""
    options = parser().parse_args(arguments)
    # imported late, so that --help and --version answer at once
    from bot import cli  # noqa: PLC0415

    try:
        match options.subcommand:
            case "say":
                return asyncio.run(cli.say(options.config, options.words, options.form))
            case "chat":
                return cli.chat(options.config)
            case "check":
                return cli.check(options.config)
            case "manifest":
                return cli.manifest(options.config, options.platform)
            case "db":
                return cli.db(options.config, options.action, options.file)
            case _:
                return cli.run(options.config)
    except ConfigError as error:
        for fault in error.faults:
            print(one_line(f"config: {fault}"), file=sys.stderr)  # noqa: T201 - the operator is at the terminal
        return USAGE
    except OperatorError as error:
        print(one_line(f"paperboy: {error}"), file=sys.stderr)  # noqa: T201 - the operator is at the terminal
        return FAULT
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the answers has enough; Python would complain at exit
        return OK
    except OSError as error:
        print(one_line(f"paperboy: {error}"), file=sys.stderr)  # noqa: T201 - the operator is at the terminal
        # what could not be written is still held, and would fail once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAULT
    except KeyboardInterrupt:
        return OK


if __name__ == "__main__":
    sys.exit(main())
