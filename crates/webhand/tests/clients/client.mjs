// The official TypeScript SDK as a client of webhand: lists, calls, gets a picture and progress, and cancels.
//
//     node client.mjs WEBHAND stdio PAGE
//     node client.mjs WEBHAND http PAGE URL TOKEN

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [webhand, way, page, url, token] = process.argv.slice(2);

function transport() {
  if (way === "stdio") return new StdioClientTransport({ command: webhand, args: ["mcp"], env: process.env });
  const headers = { Authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
}

/** How many waits the journal knows as cancelled. */
function cancelled() {
  const { data } = JSON.parse(execFileSync(webhand, ["history", "--json"], { encoding: "utf8" }));
  return data.entries.filter((entry) => entry.verb === "wait" && entry.code === "CANCELLED").length;
}

const before = cancelled();
const client = new Client({ name: "test", version: "1" }, { capabilities: { roots: { listChanged: true } } });
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///nowhere", name: "nowhere" }] }));
const connection = transport();
await client.connect(connection);

const call = async (name, args, options) => {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  assert.equal(result.isError, false, JSON.stringify(result));
  return result;
};

assert.equal(client.getServerVersion().name, "webhand");
const { tools } = await client.listTools();
const find = (name) => tools.find((tool) => tool.name === name);
assert.equal(find("browser_snapshot").annotations.readOnlyHint, true);
assert.equal(find("browser_click").annotations.destructiveHint, true);

await call("browser_navigate", { url: page });
const seen = await call("browser_snapshot", {});
assert.match(seen.content[0].text, /Kettles/);
assert.equal(seen.structuredContent.ok, true);

const shot = await call("browser_take_screenshot", {});
const image = shot.content.find((block) => block.type === "image");
assert.equal(Buffer.from(image.data, "base64").subarray(1, 4).toString(), "PNG");

// The client's only root is somewhere else.
const outside = await client.callTool({ name: "browser_take_screenshot", arguments: { filename: "/tmp/outside.png" } });
assert.equal(outside.structuredContent.error.code, "ACTION_DENIED");

const wrong = await client.callTool({ name: "browser_navigate", arguments: { url: 7 } });
assert.equal(wrong.structuredContent.error.code, "INVALID_INPUT");
await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), (error) => error.code === -32602);

const told = [];
await call("browser_wait_for", { time: 2.6 }, { onprogress: (progress) => told.push(progress) });
assert.ok(told.length >= 2 && told[0].progress < told[1].progress, JSON.stringify(told));
assert.match(told[0].message, /browser_wait_for/);

const enough = new AbortController();
setTimeout(() => enough.abort("enough"), 1000);
await assert.rejects(call("browser_wait_for", { time: 25 }, { signal: enough.signal }));
for (const end = Date.now() + 20_000; cancelled() === before; await sleep(100)) assert.ok(Date.now() < end);
await call("browser_snapshot", {});

if (way === "http") await connection.terminateSession();
await client.close();
console.log(`typescript sdk, ${way}: listed, called, got a picture and progress, stayed in its roots, cancelled`);
