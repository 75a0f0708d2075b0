// What the engine calls.
globalThis.webhand = { locate, element: elementOf, number: numberOf, snapshot, boxes, mayBeHosts, adopt };
