import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '@oclif/core/command';
import type { PJSON } from '@oclif/core/interfaces';

/** A command as its class describes it. */
export type ManifestCommand = Command.Cached;

/** What package.json says about the program. */
export type ProgramPackage = PJSON & {
  readonly description: string;
  readonly oclif: { readonly topics: Readonly<Record<string, { readonly description: string }>> };
};

/** @param root absolute path of the package */
export function readPackage(root: string): ProgramPackage {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}

/** All commands by their ids, `memory:search`, without loading any of them. @param root absolute path of the package */
export function readManifest(root: string): Readonly<Record<string, ManifestCommand>> {
  const manifest: { readonly commands: Readonly<Record<string, ManifestCommand>> } = JSON.parse(
    readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
  );
  return manifest.commands;
}
