/**
 * Builds a Debian package of svc for this machine's architecture, with its dependencies in it:
 *
 *   npm run package:deb [-- FOLDER]
 *
 * Needs dpkg-deb and npm's registry; a compiler only for better-sqlite3 of Node.js 20. Node.js comes from the
 * system (https://github.com/nodesource/distributions has packages of current versions).
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { installInto, MANIFEST, newFolder, ROOT, run } from './parts.js';

const target = resolve(process.argv[2] ?? '.');
mkdirSync(target, { recursive: true });
const work = newFolder();
const tree = join(work, 'tree');
const program = join(tree, 'usr/lib', MANIFEST.name);

installInto(program, work);

mkdirSync(join(tree, 'usr/bin'), { recursive: true });
symlinkSync(`../lib/${MANIFEST.name}/bin/run.js`, join(tree, 'usr/bin/svc'));
chmodSync(join(program, 'bin/run.js'), 0o755);

/** @param {string} path @param {string | Buffer} content */
function write(path, content) {
  const file = join(tree, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content, { mode: 0o644 });
}

/**
 * Not from the package, which would keep compiled code of this Node.js.
 *
 * @param {string} shell
 */
function completion(shell) {
  return run(process.execPath, [join(ROOT, 'bin/run.js'), 'completion', 'script', shell]);
}

write('usr/share/man/man1/svc.1.gz', gzipSync(readFileSync(join(ROOT, 'man/svc.1')), { level: 9 }));
write('usr/share/bash-completion/completions/svc', completion('bash'));
write('usr/share/zsh/vendor-completions/_svc', completion('zsh'));
write('usr/share/fish/vendor_completions.d/svc.fish', completion('fish'));
write(`usr/share/doc/${MANIFEST.name}/copyright`, readFileSync(join(ROOT, 'LICENSE')));

// What npm installs for 22 and newer does not run on 20.
const isOldest = Number.parseInt(process.versions.node, 10) < 22;
const node = isOldest ? MANIFEST.engines.node.replace('>=', '') : '22.14';
const architecture = run('dpkg', ['--print-architecture']).trim();
const kilobytes = run('du', ['-sk', '--apparent-size', tree]).split('\t')[0];
write(
  'DEBIAN/control',
  `Package: ${MANIFEST.name}
Version: ${MANIFEST.version}
Architecture: ${architecture}
Maintainer: ${MANIFEST.name} developers <${MANIFEST.name}@localhost>
Installed-Size: ${kilobytes}
Depends: nodejs (>= ${node})
Recommends: git
Section: utils
Priority: optional
Description: ${MANIFEST.description.replace(/\.$/u, '')}
 Indexes the Markdown memory of agents, searches it by keyword and by meaning,
 and runs a webhook listener for task flows.
`,
);
// What bin/run.js keeps when root runs svc, which dpkg does not know of.
const compiled = `usr/lib/${MANIFEST.name}/dist/chunks`;
const beforeRemoval = join(tree, 'DEBIAN/prerm');
writeFileSync(beforeRemoval, `#!/bin/sh\nrm -f "$DPKG_ROOT/${compiled}/"*.cache*\n`);
chmodSync(beforeRemoval, 0o755);
const file = join(target, `${MANIFEST.name}_${MANIFEST.version}_${architecture}.deb`);
run('dpkg-deb', ['--root-owner-group', '--build', tree, file]);

const unpacked = join(work, 'unpacked');
run('dpkg-deb', ['-x', file, unpacked]);
const found = run(process.execPath, [join(unpacked, 'usr/bin/svc'), '--version']);
rmSync(work, { recursive: true });
if (!found.startsWith(`${MANIFEST.name}/${MANIFEST.version} `)) {
  console.error(`error: the package does not run: ${found}`);
  process.exit(1);
}
console.log(file);
