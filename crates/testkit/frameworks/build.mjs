// Builds a page for each framework: FRAMEWORK/form.html with its script, into the folder that is named; and a board of SortableJS.
// usage: node build.mjs FOLDER

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import * as svelte from 'svelte/compiler';
import * as vue from 'vue/compiler-sfc';

const folder = process.argv[2];
const entries = { react: 'react/main.jsx', vue: 'vue/main.js', svelte: 'svelte/main.js' };

/** Hands files that end like this to a compiler. */
function compiled(ending, compile) {
  return {
    name: `compile ${ending}`,
    setup(task) {
      task.onLoad({ filter: new RegExp(`\\.${ending}$`) }, async ({ path }) => {
        return { contents: compile(await readFile(path, 'utf8'), path), loader: 'js' };
      });
    },
  };
}

function compileSvelte(source, filename) {
  return svelte.compile(source, { filename, generate: 'client', dev: false }).js.code;
}

function compileVue(source, filename) {
  const { descriptor, errors } = vue.parse(source, { filename });
  if (errors.length > 0) throw errors[0];
  return vue.compileScript(descriptor, { id: filename, inlineTemplate: true }).content;
}

for (const [framework, entry] of Object.entries(entries)) {
  await mkdir(`${folder}/${framework}`, { recursive: true });
  await build({
    entryPoints: [entry],
    outfile: `${folder}/${framework}/form.js`,
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    conditions: ['browser', 'production'],
    jsx: 'automatic',
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [compiled('svelte', compileSvelte), compiled('vue', compileVue)],
    logLevel: 'warning',
  });
  await writeFile(`${folder}/${framework}/form.html`, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${framework} form</title>
<link rel="stylesheet" href="../form.css">
<div id="app"></div>
<script type="module" src="form.js"></script>
`);
}
await mkdir(`${folder}/sortable`, { recursive: true });
await build({ entryPoints: ['sortable/main.js'], outfile: `${folder}/sortable/board.js`, bundle: true, format: 'esm', minify: true, logLevel: 'warning' });
await writeFile(`${folder}/sortable/board.html`, await readFile('sortable/board.html'));
await writeFile(`${folder}/form.css`, await readFile('form.css'));
