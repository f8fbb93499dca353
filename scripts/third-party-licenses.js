import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The licenses of bundled packages as one text, which has to accompany every copy. A text that several packages have is
 * there once, below their names.
 * @param {Iterable<string>} moduleIds absolute paths of bundled modules
 * @returns {string}
 */
export function thirdPartyLicenses(moduleIds) {
  const folders = new Set([...moduleIds].map(packageFolder).filter((folder) => folder !== ''));
  /** @type {Map<string, string[]>} */
  const packagesOf = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text =
      file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8');
    packagesOf.set(text.trim(), [...(packagesOf.get(text.trim()) ?? []), `${name} ${version}`]);
  }
  const sections = [...packagesOf].map(
    ([text, packages]) => `${packages.sort().join('\n')}\n\n${text}\n`,
  );
  return sections.sort().join(`\n${'-'.repeat(72)}\n\n`);
}

/**
 * The folder of the package that a module belongs to; empty for the program itself.
 * @param {string} id
 */
function packageFolder(id) {
  if (!id.includes('node_modules')) return '';
  let folder = dirname(id.replace(/^\0/, '').replace(/\?.*$/, ''));
  while (!isPackage(folder)) folder = dirname(folder);
  return folder;
}

/** Some packages have nested package.json files without a version, only for the module type. @param {string} folder */
function isPackage(folder) {
  const file = join(folder, 'package.json');
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version !== undefined;
}
