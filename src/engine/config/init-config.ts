import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineContext } from '../context.js';
import { SvcError } from '../errors/index.js';
import { writeFileAtomically } from './edit/atomic-write.js';
import { resolvePath } from './expand-path.js';
import { configTemplate, SCHEMA_FILE_NAME } from './init-template.js';
import { createJsonSchema } from './json-schema.js';

/** Where a new configuration goes. */
export interface InitConfigOptions {
  /** The file to write, relative to the current folder; undefined means the person's own. */
  readonly configFile?: string | undefined;
  /** Replace a file that is there. */
  readonly force: boolean;
}

/** What was written; absolute paths. */
export interface InitializedConfig {
  readonly file: string;
  readonly schemaFile: string;
}

/**
 * Writes a commented configuration to start from, and the JSON Schema it names beside it.
 *
 * @throws SvcError CONFIG_EXISTS, CONFIG_WRITE_FAILED
 */
export function initConfig(context: EngineContext, options: InitConfigOptions): InitializedConfig {
  const named = options.configFile ?? context.state.userConfigFile;
  const file = resolvePath(named, context.cwd, context.homeDir);
  if (!options.force && lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    throw new SvcError('CONFIG_EXISTS', `${file} is there already`, {
      hint: 'edit it with svc config set, or replace it with --force',
      location: { file, line: 1, column: 1 },
    });
  }
  const schemaFile = join(dirname(file), SCHEMA_FILE_NAME);
  writeFileAtomically(schemaFile, `${JSON.stringify(createJsonSchema(), null, 2)}\n`);
  writeFileAtomically(file, configTemplate());
  return { file, schemaFile };
}
