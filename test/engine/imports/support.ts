import { mkdirSync } from 'node:fs';
import {
  applyImport,
  type ImportPlan,
  type ImportProgram,
  prepareImport,
} from '../../../src/engine/imports/index.js';
import { resolveStatePaths } from '../../../src/engine/support/context.js';
import { type TempFolder, tempFolder } from '../../support/temp-folder.js';

/** A home in which other programs have files, and svc has a configuration if one is written. */
export interface ImportHome extends TempFolder {
  readonly prepare: (
    program: ImportProgram,
    path?: string,
    variables?: Readonly<Record<string, string>>,
  ) => Promise<ImportPlan>;
  readonly apply: (plan: ImportPlan) => Promise<void>;
}

export function importHome(files: Readonly<Record<string, object | string>> = {}): ImportHome {
  const home = tempFolder();
  for (const [path, content] of Object.entries(files)) {
    home.write(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  mkdirSync(home.at('.svc/workspace'), { recursive: true });
  // Empty ones count as unset.
  const unset = {
    BASIC_MEMORY_CONFIG_DIR: '',
    CLAUDE_MEM_DATA_DIR: '',
    OPENCLAW_STATE_DIR: '',
    QMD_CONFIG_DIR: '',
  };
  const env = { ...unset, SVC_HOME: home.at('.svc') };
  const state = resolveStatePaths(env, home.path);
  const clock = { now: Date.now };
  const context = { env, cwd: home.path, homeDir: home.path, state, clock };
  return {
    ...home,
    prepare: (program, path, variables) => {
      const world = { ...context, env: { ...env, ...variables } };
      return prepareImport({ program, path, configFile: undefined }, world);
    },
    apply: (plan) => applyImport(plan, context, new AbortController().signal),
  };
}

/** The settings that a plan writes. */
export function settingsOf(plan: ImportPlan): unknown {
  return JSON.parse(plan.text);
}

/** By its name in the other program: what becomes of it. */
export function outcomesOf({ items }: ImportPlan): Readonly<Record<string, string>> {
  return Object.fromEntries(items.map(({ from, outcome }) => [from, outcome]));
}
