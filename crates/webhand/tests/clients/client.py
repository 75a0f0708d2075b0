"""The official Python SDK as a client of webhand: lists, calls, gets a picture and progress, and cancels.

    client.py WEBHAND stdio PAGE            starts `WEBHAND mcp`
    client.py WEBHAND http PAGE URL TOKEN   talks to `webhand serve`
"""

import base64
import json
import subprocess
import sys

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

webhand, way, page, *rest = sys.argv[1:]


def transport():
    if way == "stdio":
        import os

        env = {name: value for name, value in os.environ.items() if name.startswith("WEBHAND_")}
        return StdioServerParameters(command=webhand, args=["mcp"], env=env)
    url, token = rest
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    return streamable_http_client(f"{url}/mcp", http_client=client)


async def call(client, name, args, **more):
    result = await client.call_tool(name, args, **more)
    assert not result.is_error, result
    return result


def cancelled():
    """How many waits the journal knows as cancelled."""
    said = subprocess.run([webhand, "history", "--json"], capture_output=True, text=True, check=True).stdout
    entries = json.loads(said)["data"]["entries"]
    return sum(entry["verb"] == "wait" and entry.get("code") == "CANCELLED" for entry in entries)


async def main():
    before = cancelled()
    async with Client(transport()) as client:
        assert client.server_info.name == "webhand", client.server_info
        assert client.instructions
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["browser_snapshot"].annotations.read_only_hint is True
        assert tools["browser_click"].annotations.destructive_hint is True

        await call(client, "browser_navigate", {"url": page})
        seen = await call(client, "browser_snapshot", {})
        assert "Kettles" in seen.content[0].text, seen
        assert seen.structured_content["ok"] is True

        shot = await call(client, "browser_take_screenshot", {})
        image = next(block for block in shot.content if block.type == "image")
        assert base64.b64decode(image.data).startswith(b"\x89PNG"), image.mime_type

        wrong = await client.call_tool("browser_navigate", {"url": 7})
        assert wrong.is_error and wrong.structured_content["error"]["code"] == "INVALID_INPUT", wrong
        try:
            await client.call_tool("no_such_tool", {})
            raise AssertionError("a tool that is not there was called")
        except MCPError as error:
            assert error.error.code == -32602, error

        told = []

        async def progress(done, total, message):
            told.append((done, total, message))

        await call(client, "browser_wait_for", {"time": 2.6}, progress_callback=progress)
        assert len(told) >= 2 and told[0][0] < told[1][0] and "browser_wait_for" in told[0][2], told

        with anyio.move_on_after(1) as scope:
            await client.call_tool("browser_wait_for", {"time": 25})
        assert scope.cancelled_caught
        with anyio.fail_after(20):
            while cancelled() == before:
                await anyio.sleep(0.1)
        await call(client, "browser_snapshot", {})
    print(f"python sdk, {way}: listed, called, got a picture and progress, cancelled")


anyio.run(main)
