#!/usr/bin/env node
// Plain JavaScript for any Node: the version is checked before anything is imported that an old one cannot read.
const needed = [22, 18];
const found = process.versions.node.split('.').map(Number);

if (found[0] > needed[0] || (found[0] === needed[0] && found[1] >= needed[1])) {
  import('../src/main.ts');
} else {
  process.stderr.write(
    `sextant needs Node ${needed.join('.')} or newer, and this is ${process.versions.node}. ` +
      'Install a newer Node, or run it from its folder with "npm start" or "npm run sextant", which bring their own.\n',
  );
  process.exitCode = 2;
}
