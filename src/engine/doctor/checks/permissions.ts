import { join } from 'node:path';
import { hasPlainSecret } from '../../config/hide-config-values.js';
import { authFolder } from '../../embeddings/login/auth-files.js';
import type { DoctorCheck } from '../check.js';
import type { Finding, FindingSeverity } from '../finding.js';
import { modeAt, modeMend, modeText } from '../mends/change-mode.js';
import { namesIn } from '../names-in.js';
import type { DoctorWorld } from '../world.js';

/** Everybody; many systems give each person a group of their own, which may write. */
const ALL_WRITE = 0o002;
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o044;
const OTHERS = 0o077;

/** A file or folder, and what others may not do with it. */
interface Guarded {
  readonly path: string;
  readonly forbidden: number;
  readonly severity: FindingSeverity;
  readonly code: string;
  readonly message: string;
  readonly cause: string;
}

/** Whether others may read or change what is for the person alone. */
export const permissions: DoctorCheck = {
  name: 'permissions',
  needs: 'nothing',
  run: async (world) => {
    const { uid } = world.host;
    if (uid === undefined) {
      return { summary: 'not told by this system', findings: [], off: true };
    }
    const findings = guarded(world).flatMap((one) => lookAt(one, uid));
    return { summary: world.context.state.stateDir, findings: distinct(findings) };
  },
};

function guarded(world: DoctorWorld): readonly Guarded[] {
  const { stateDir, cacheDir } = world.context.state;
  return [
    ...folder(stateDir),
    ...(cacheDir === stateDir ? [] : folder(cacheDir)),
    ...authFiles(authFolder(stateDir)),
    ...configFiles(world),
    ...secretFiles(world),
    ...indexFiles(world),
  ];
}

function folder(path: string): readonly Guarded[] {
  return [
    {
      path,
      forbidden: ALL_WRITE,
      severity: 'fault',
      code: 'folder-writable',
      message: `others may change what is in ${path}`,
      cause: 'programs and addresses that svc uses are configured there',
    },
    {
      path,
      forbidden: OTHERS_READ,
      severity: 'warning',
      code: 'folder-readable',
      message: `others may look into ${path}`,
      cause: 'it is meant for you alone',
    },
  ];
}

function authFiles(path: string): readonly Guarded[] {
  const secret = {
    forbidden: OTHERS,
    severity: 'fault',
    code: 'secret-readable',
    cause: 'a login lets whoever has it act in your name',
  } as const;
  const files = namesIn(path).filter((name) => name.endsWith('.json'));
  return [
    { ...secret, path, message: `others may look into ${path}` },
    ...files.map((name) => {
      const file = join(path, name);
      return { ...secret, path: file, message: `the secret file ${file} is not yours alone` };
    }),
  ];
}

function configFiles({ reading }: DoctorWorld): readonly Guarded[] {
  if (!('checked' in reading)) return [];
  const { file: path, value } = reading.checked.document;
  const writable: Guarded = {
    path,
    forbidden: ALL_WRITE,
    severity: 'fault',
    code: 'config-writable',
    message: `others may change ${path}`,
    cause: 'it names programs that are run and addresses that keys are sent to',
  };
  const readable: Guarded = {
    path,
    forbidden: OTHERS_READ,
    severity: 'fault',
    code: 'config-readable',
    message: `others may read ${path}`,
    cause: 'it holds a secret in plain text',
  };
  return hasPlainSecret(value) ? [readable, writable] : [writable];
}

/** Files of `secrets.providers`, which are refused while others may read them. */
function secretFiles({ reading }: DoctorWorld): readonly Guarded[] {
  if (!('loaded' in reading)) return [];
  return Object.values(reading.loaded.resolved.secrets.providers).flatMap((provider) => {
    if (provider.source !== 'file' || provider.allowInsecurePath) return [];
    const { path } = provider;
    return [
      {
        path,
        forbidden: OTHERS_READ | OTHERS_WRITE,
        severity: 'fault',
        code: 'secret-readable',
        message: `the secret file ${path} is not yours alone`,
        cause: 'svc does not take secrets from a file that others may read or change',
      },
    ];
  });
}

/** Those of the usual place, also of agents that are gone, and those that the configuration names. */
function indexFiles({ context, agents }: DoctorWorld): readonly Guarded[] {
  const usual = join(context.state.cacheDir, 'memory');
  const there = namesIn(usual).filter((name) => name.endsWith('.sqlite'));
  const files = new Set([
    ...there.map((name) => join(usual, name)),
    ...agents.map((agent) => agent.memorySearch.store.path),
  ]);
  return [...files].map((path) => ({
    path,
    forbidden: OTHERS,
    severity: 'warning',
    code: 'index-readable',
    message: `others may read the index ${path}`,
    cause: 'the text of notes is in it',
  }));
}

function lookAt(one: Guarded, uid: number): readonly Finding[] {
  const found = modeAt(one.path);
  // Where a link leads is somebody's choice.
  if (found === undefined || found.isLink) return [];
  const { mode } = found;
  const { code, severity, message, cause, path } = one;
  if (found.uid !== uid && one.severity === 'fault') {
    return [
      {
        code: 'other-owner',
        severity: 'warning',
        message: `${path} belongs to another user (${found.uid}, not ${uid})`,
        place: { file: path },
        hint: 'make it a file of the user that svc runs as',
      },
    ];
  }
  if ((mode & one.forbidden) === 0) return [];
  const to = mode & ~OTHERS;
  return [
    {
      code,
      severity,
      message,
      cause: `mode ${modeText(mode)}, should be ${modeText(to)}: ${cause}`,
      place: { file: path },
      hint: `chmod ${modeText(to)} ${JSON.stringify(path)}`,
      mend: modeMend(path, mode, to),
    },
  ];
}

/** One finding a file: the first is the worst. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const byFile = new Map<string, Finding>();
  for (const finding of findings) {
    const file = finding.place?.file ?? '';
    if (!byFile.has(file)) byFile.set(file, finding);
  }
  return [...byFile.values()];
}
