import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A command as its class describes it. */
export interface ManifestCommand {
  readonly hidden?: boolean;
  readonly summary?: string;
  readonly aliases: readonly string[];
  readonly flags: Readonly<Record<string, ManifestValue>>;
  readonly args: Readonly<Record<string, ManifestValue>>;
}

/** A flag or an argument of a command. */
interface ManifestValue {
  readonly type?: 'boolean' | 'option';
  readonly char?: string;
  readonly hidden?: boolean;
  readonly required?: boolean;
  readonly summary?: string;
  readonly description?: string;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
}

/**
 * All commands by their ids, `memory:search`, without loading any of them.
 *
 * @param root absolute path of the package
 */
export function readManifest(root: string): Readonly<Record<string, ManifestCommand>> {
  const manifest: { readonly commands: Readonly<Record<string, ManifestCommand>> } = JSON.parse(
    readFileSync(join(root, 'oclif.manifest.json'), 'utf8'),
  );
  return manifest.commands;
}
