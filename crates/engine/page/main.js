// What the engine calls.
globalThis.webhand = { locate, element: elementOf, content, html, controls };
