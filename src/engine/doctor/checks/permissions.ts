import { accessSync, lstatSync } from 'node:fs';
import { constants, open } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { CONFIG_DEFAULTS, writtenSecrets } from '../../config/index.js';
import { type SvcError, systemReason } from '../../errors/index.js';
import { tokenFile } from '../../mcp/http/token.js';
import { tokensFile } from '../../mcp/tokens/token-store.js';
import { authFolder } from '../../providers/github-copilot/auth-files.js';
import { namesIn, unlessSystemError } from '../../support/files.js';
import { formatMode } from '../../support/format.js';
import { uniqueBy } from '../../support/lists.js';
import { nearestExisting } from '../../support/paths.js';
import { shellWord } from '../../support/text.js';
import { changeLines } from '../../support/text-diff.js';
import { check, type DoctorWorld, type Finding, type Fix, finding, fixOutdated } from '../check.js';

/** Everybody; many systems give each user a private group, which can have write access. */
const ALL_WRITE = 0o002;
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o044;
const OTHERS = 0o077;
const OWNER = 0o700;

/** A file or folder, and the permissions that other users must not have, or its owner must have. */
interface Guarded {
  readonly path: string;
  readonly forbidden: number;
  readonly required?: number;
  readonly severity: Finding['severity'];
  readonly code: string;
  readonly message: string;
  readonly cause: string;
}

/** Whether other users can read or change private files, and svc its own folders. */
export const permissions = check('permissions', async (world) => {
  const { uid } = world.host;
  if (uid === undefined) {
    return { summary: 'not supported by this system', findings: [], off: true };
  }
  const { stateDir, cacheDir } = world.context.state;
  const findings = [
    ...guarded(world).flatMap((one) => checkAccess(one, uid) ?? []),
    ...[stateDir, cacheDir].flatMap((path) => refusal(path) ?? []),
  ];
  // One finding per file: the first is the worst.
  const worst = uniqueBy(findings, ({ place }) => place?.file);
  return { summary: stateDir, findings: worst };
});

function guarded(world: DoctorWorld): readonly Guarded[] {
  const { stateDir, cacheDir } = world.context.state;
  return [
    ...folder(stateDir),
    ...(cacheDir === stateDir ? [] : folder(cacheDir)),
    ...authFiles(authFolder(stateDir)),
    ...tokenFiles(stateDir),
    ...configFiles(world),
    ...secretFiles(world),
    ...indexFiles(world),
  ];
}

function folder(path: string): readonly Guarded[] {
  return [
    {
      path,
      forbidden: 0,
      required: OWNER,
      severity: 'fault',
      code: 'folder-unwritable',
      message: `${path} is not writable by its owner`,
      cause: 'svc stores files in it',
    },
    {
      path,
      forbidden: ALL_WRITE,
      severity: 'fault',
      code: 'folder-writable',
      message: `${path} is writable by other users`,
      cause: 'it configures programs and addresses that svc uses',
    },
    {
      path,
      forbidden: OTHERS_READ,
      severity: 'warning',
      code: 'folder-readable',
      message: `${path} is readable by other users`,
      cause: 'it is private',
    },
  ];
}

function privateFile(path: string, kind: 'secret' | 'token', cause: string): Guarded {
  return {
    path,
    forbidden: OTHERS,
    severity: 'fault',
    code: 'secret-readable',
    message: `the ${kind} file ${path} is accessible to other users`,
    cause,
  };
}

function authFiles(path: string): readonly Guarded[] {
  const cause = 'whoever has a login can act in your name';
  const files = namesIn(path).filter((name) => name.endsWith('.json'));
  return [
    { ...privateFile(path, 'secret', cause), message: `${path} is readable by other users` },
    ...files.map((name) => privateFile(join(path, name), 'secret', cause)),
  ];
}

function tokenFiles(stateDir: string): readonly Guarded[] {
  return [tokenFile(stateDir), tokensFile(stateDir)].map((path) =>
    privateFile(path, 'token', 'svc mcp --http does not use such a file'),
  );
}

function configFiles({ reading }: DoctorWorld): readonly Guarded[] {
  if (!('checked' in reading)) return [];
  const { file: path, value } = reading.checked.document;
  const writable: Guarded = {
    path,
    forbidden: ALL_WRITE,
    severity: 'fault',
    code: 'config-writable',
    message: `${path} is writable by other users`,
    cause: 'it names programs to run and addresses that keys are sent to',
  };
  const readable: Guarded = {
    path,
    forbidden: OTHERS_READ,
    severity: 'fault',
    code: 'config-readable',
    message: `${path} is readable by other users`,
    cause: 'it contains a secret in plain text',
  };
  const secrets = writtenSecrets(value, CONFIG_DEFAULTS.secrets.defaults);
  const isSecret = secrets.some(({ secret }) => secret.kind === 'plain');
  return isSecret ? [readable, writable] : [writable];
}

/** Files of `secrets.providers`; svc refuses them while other users can read them. */
function secretFiles({ reading }: DoctorWorld): readonly Guarded[] {
  if (!('loaded' in reading)) return [];
  return Object.values(reading.loaded.resolved.secrets.providers).flatMap((provider) => {
    if (provider.source !== 'file' || provider.allowInsecurePath) return [];
    const file = privateFile(provider.path, 'secret', 'svc does not read secrets from such a file');
    return [{ ...file, forbidden: OTHERS_READ | OTHERS_WRITE }];
  });
}

/** Indexes in the default folder, also of removed agents, and those that the configuration names. */
function indexFiles({ context, agents }: DoctorWorld): readonly Guarded[] {
  const folder = join(context.state.cacheDir, 'memory');
  const names = namesIn(folder).filter((name) => name.endsWith('.sqlite'));
  const files = new Set([
    ...names.map((name) => join(folder, name)),
    ...agents.map((agent) => agent.memorySearch.store.path),
  ]);
  return [...files].map((path) => ({
    path,
    forbidden: OTHERS,
    severity: 'warning',
    code: 'index-readable',
    message: `the index ${path} is readable by other users`,
    cause: 'it contains the text of notes',
  }));
}

function checkAccess(one: Guarded, uid: number): Finding | undefined {
  // In a folder that cannot be entered, the folder is the problem.
  const found = unlessSystemError(() => lstatSync(one.path, { throwIfNoEntry: false }));
  // A link is the user's choice.
  if (found === undefined || found.isSymbolicLink()) return undefined;
  const mode = found.mode & 0o7777;
  const { code, severity, message, cause, path } = one;
  if (found.uid !== uid && one.severity === 'fault') {
    return finding('other-owner', 'warning', {
      message: `${path} belongs to another user (${found.uid}, not ${uid})`,
      place: { file: path },
      hint: 'change its owner to the user that svc runs as',
    });
  }
  const { forbidden, required = 0 } = one;
  if ((mode & forbidden) === 0 && (mode & required) === required) return undefined;
  const to = (mode & ~OTHERS) | required;
  return finding(code, severity, {
    message,
    cause: `mode ${formatMode(mode)}, should be ${formatMode(to)}: ${cause}`,
    place: { file: path },
    hint: `chmod ${formatMode(to)} ${shellWord(path)}`,
    fix: modeFix(path, mode, to),
  });
}

/** Why svc cannot write to one of its folders, or create it. */
function refusal(folder: string): Finding | undefined {
  // In place of a dangling link, no folder can be created.
  const isThere = (path: string): boolean => unlessSystemError(() => lstatSync(path)) !== undefined;
  const existing = nearestExisting(folder, isThere);
  try {
    // With the dot, a file in place of a folder is refused as such.
    accessSync(`${existing}${sep}.`, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const verb = existing === folder ? 'written to' : 'created';
    return finding('folder-refused', 'fault', {
      message: `${folder} cannot be ${verb}: ${systemReason(error)}`,
      cause: 'svc stores files in it',
      place: { file: folder },
      hint: `check the permissions of ${existing}, or set SVC_HOME to a folder that you can write to`,
    });
  }
}

/** Changes the mode; never follows a link. */
function modeFix(path: string, from: number, to: number): Fix {
  return {
    title: `set the mode of ${path} to ${formatMode(to)}`,
    safe: true,
    diff: changeLines([`mode ${formatMode(from)}  ${path}`], [`mode ${formatMode(to)}  ${path}`]),
    changes: 'state',
    apply: async () => {
      // On the open file, which cannot be exchanged in between. A pipe in its place would never open.
      const handle = await open(
        path,
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
      try {
        const { mode } = await handle.stat();
        if (formatMode(mode) === formatMode(to)) return;
        if (formatMode(mode) !== formatMode(from)) throw outdated(path, mode);
        await handle.chmod(to);
      } finally {
        await handle.close();
      }
    },
  };
}

function outdated(path: string, mode: number): SvcError {
  return fixOutdated(`${path} now has mode ${formatMode(mode)}`);
}
