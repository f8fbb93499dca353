import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, newFlow, testFlows } from '../support/flows.js';
import { ROOT } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf, type TempFolder, tempFolder } from '../support/temp-folder.js';

const test = suite('shell completion');
const inZsh = spawnSync('zsh', ['--version']).status === 0 ? test : test.skip;

function home(): TempFolder {
  return folderOf({
    'svc.json': JSON.stringify({
      agents: { list: [{ id: 'ada', default: true }, { id: 'bob' }] },
      flows: { notify: { targets: [{ id: 'ops', command: ['true'] }] } },
      models: { providers: { corp: { api: 'openai', baseUrl: 'https://llm.corp.example/v1' } } },
      plugins: {
        entries: {
          webhooks: {
            enabled: true,
            config: { routes: { ci: { sessionKey: 'agent:ada:main', secret: 'env:CI_SECRET' } } },
          },
        },
      },
    }),
    'notes/a.md': 'alpha',
  });
}

/** What the words could be completed with; the last word is being typed. */
async function valuesFor(root: TempFolder, ...words: string[]): Promise<readonly string[]> {
  const options = { home: root.path, env: { SVC_JSON: '1' } };
  const run = await runInSession(['complete', '--', ...words], options);
  assert.equal([run.code, run.stderr], [0, '']);
  return run.stdout
    .split('\n')
    .slice(0, -2)
    .map((line) => line.split('\t')[0] ?? '');
}

test('commands, topics and flags are completed', async () => {
  const root = home();
  assert.equal(await valuesFor(root, 'mem'), ['memory']);
  assert.ok((await valuesFor(root, 'memory', '')).includes('search'));
  assert.equal(await valuesFor(root, 'memory', 'search', '--max'), ['--max-results']);
  assert.not((await valuesFor(root, '')).includes('complete'));
});

test('values are completed: agents, providers, keys and their values, routes, states, flows and files', async () => {
  const root = home();
  const { flows } = await testFlows({}, root.path);
  const flowId = await newFlow(flows);
  await flows.perform({ action: 'finish_flow', flowId, expectedRevision: 0 }, ADA);
  await flows.close();
  assert.equal(await valuesFor(root, 'memory', 'search', '--agent', ''), ['ada', 'bob']);
  assert.equal(await valuesFor(root, 'provider', 'test', 'co'), ['corp']);
  assert.equal(await valuesFor(root, 'memory', 'search', '--kind', 'im'), ['image']);
  const keys = await valuesFor(root, 'config', 'get', 'agents.defaults.work');
  assert.equal(keys, ['agents.defaults.workspace']);
  const citations = await valuesFor(root, 'config', 'set', 'memory.citations', '');
  assert.equal(citations, ['auto', 'on', 'off']);
  const dreaming = 'plugins.entries.memory-core.config.dreaming.enabled';
  assert.equal(await valuesFor(root, 'config', 'set', dreaming, 't'), ['true']);
  for (const key of ['agents.defaults.workspace', 'no.such.key', 'a[']) {
    assert.equal(await valuesFor(root, 'config', 'set', key, ''), [], key);
  }
  assert.equal(await valuesFor(root, 'webhook', 'call', ''), ['ci']);
  assert.ok((await valuesFor(root, 'flow', 'list', '--status', 'can')).includes('cancelled'));
  assert.equal(await valuesFor(root, 'flow', 'show', flowId.slice(0, 4)), [flowId]);
  assert.equal(await valuesFor(root, 'notification', 'show', ''), ['1']);
  assert.equal(await valuesFor(root, 'notification', 'list', '--target', ''), ['ops']);
  assert.equal(await valuesFor(root, 'memory', 'index', '--workspace', 'no'), ['notes/']);
});

test('notes are completed in the workspace that the line chooses', async () => {
  const root = folderOf({
    'svc.json': JSON.stringify({
      agents: {
        list: [
          { id: 'ada', default: true, workspace: 'a' },
          { id: 'bob', workspace: 'b' },
        ],
      },
    }),
    'a/memory/house.md': '# House',
    'b/memory/boat.md': '# Boat',
    'c/car.md': '# Car',
  });
  assert.equal(await valuesFor(root, 'memory', 'links', 'me'), ['memory/']);
  assert.equal(await valuesFor(root, 'memory', 'inspect', 'memory/'), ['memory/house.md']);
  const bob = ['memory', 'status', '--agent', 'bob', '--why'];
  assert.equal(await valuesFor(root, ...bob, 'memory/b'), ['memory/boat.md']);
  assert.equal(await valuesFor(root, 'memory', 'get', '--workspace', 'c', ''), ['car.md']);
  assert.equal(await valuesFor(root, 'memory', 'links', '--agent', 'nobody', ''), []);
});

test('no suggestion contains shell syntax, and outside text cannot add a line', async () => {
  const provider = { api: 'openai', baseUrl: 'https://llm.example/v1' };
  const root = folderOf({
    'svc.json': JSON.stringify({
      models: { providers: { '$(touch x)': provider, corp: provider } },
    }),
    'dir/$(touch y)': '',
    'dir/a;b': '',
    'dir/größe.md': '',
  });
  const { flows } = await testFlows({}, root.path);
  const flowId = await newFlow(flows, undefined, { goal: 'one\nforged\tline\n:0' });
  await flows.close();
  assert.not((await valuesFor(root, 'provider', 'test', '')).some((value) => value.includes('$')));
  assert.equal(await valuesFor(root, 'memory', 'index', '--workspace', 'dir/'), ['dir/größe.md']);
  assert.equal(await valuesFor(root, 'flow', 'show', ''), [flowId]);
});

test('commands are completed even if the configuration is broken', async () => {
  const root = folderOf({ 'svc.json': '{ broken' });
  assert.equal(await valuesFor(root, 'memory', 'sea'), ['search']);
  assert.equal(await valuesFor(root, 'memory', 'search', '--agent', ''), []);
});

test('bash completes with what is installed; a linked startup file stays a link', async () => {
  const root = home();
  const dotfile = root.write('dotfiles/bashrc', 'alias ll="ls -l"');
  const startup = root.at('.bashrc');
  symlinkSync(dotfile, startup);
  // The script is the same if the environment asks for JSON.
  const options = { home: root.path, env: { SHELL: '/bin/bash', SVC_JSON: '1' } };
  const refused = await runInSession(['completion', 'install'], options);
  assert.is.not(refused.code, 0);
  assert.match(refused.stdout, '--yes');
  assert.is(readFileSync(dotfile, 'utf8'), 'alias ll="ls -l"');
  for (const _ of [1, 2]) {
    assert.is((await runInSession(['completion', 'install', '--yes'], options)).code, 0);
  }
  assert.ok(lstatSync(startup).isSymbolicLink());
  assert.match(readFileSync(dotfile, 'utf8'), /^alias ll="ls -l"\n\[ -f .* # svc completion\n$/);
  const script = [
    `svc() { SVC_HOME='${root.path}' '${process.execPath}' '${join(ROOT, 'bin/run.js')}' "$@"; }`,
    `. '${startup}'; . '${startup}'`,
    'COMP_WORDS=(svc memory search --agent a) COMP_CWORD=4',
    '__svc_complete',
    `echo "\${COMPREPLY[@]}"`,
    'cd "$HOME"',
    'compopt() { echo "compopt $*"; }',
    'COMP_WORDS=(svc memory index --workspace no) COMP_CWORD=4',
    '__svc_complete',
    `echo "\${COMPREPLY[@]}"`,
    `COMP_WORDS=(svc memory export '$(touch ran)' '>' a.md --outp) COMP_CWORD=6`,
    '__svc_complete',
    `echo "\${COMPREPLY[@]}"`,
  ].join('\n');
  root.write('a.md', 'precious');
  const bash = {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, HOME: root.path },
  } as const;
  assert.is(
    execFileSync('bash', ['--norc', '-c', script], bash),
    'ada\ncompopt -o nospace\nnotes/\n--output\n',
  );
  assert.is(readFileSync(root.at('a.md'), 'utf8'), 'precious');
  assert.not.ok(existsSync(root.at('ran')));
  await runInSession(['completion', 'install', '--remove'], options);
  assert.is(readFileSync(dotfile, 'utf8'), 'alias ll="ls -l"\n');
});

inZsh('zsh completes, and evaluates nothing that was typed', async () => {
  const root = home();
  const script = (await runInSession(['completion', 'script', 'zsh'], { home: root.path })).stdout;
  const typed = (...words: string[]) => {
    const lines = [
      `svc() { SVC_HOME='${root.path}' '${process.execPath}' '${join(ROOT, 'bin/run.js')}' "$@"; }`,
      `compdef() { }; compset() { PREFIX=\${PREFIX#*=} }; _describe() { print -rl -- \${(P)2} \${(P)5}\${(P)5:+@\${(j:,:)@[6,-1]}} }`,
      script,
      `words=(svc "$@") CURRENT=$#words PREFIX=\${words[-1]#\\'} _svc`,
    ];
    return execFileSync('zsh', ['-fc', lines.join('\n'), 'zsh', ...words], {
      encoding: 'utf8',
      cwd: root.path,
    }).trim();
  };
  assert.is(typed('memory', 'search', '"a b"', '--agent', 'a'), 'ada:agent');
  assert.is(typed('memory', 'search', '--agent=b'), 'bob:agent');
  // What is in a folder follows without a space.
  assert.is(typed('memory', 'index', '--workspace', 'no'), 'notes/@-Q,-S,');
  const before = readdirSync(root.path);
  for (const word of ["'due-date>=", "'x-$(pwd>ran)=", '--where=$(pwd>ran)=']) {
    assert.is(typed('memory', 'search', 'invoice', '--where', word), '');
  }
  assert.equal(readdirSync(root.path), before);
});

inZsh(
  'a new zsh asks nothing, although a folder of completions is writable by others',
  async () => {
    const root = home();
    const options = { home: root.path, env: { SHELL: '/bin/zsh' } };
    assert.is((await runInSession(['completion', 'install', '--yes'], options)).code, 0);
    // As Homebrew's folders are.
    root.write('site-functions/_other', '#compdef other');
    chmodSync(root.at('site-functions'), 0o777);
    const script = `fpath=('${root.at('site-functions')}' $fpath); . '${root.at('.zshrc')}'; echo $_comps[svc]`;
    const env = { ...process.env, HOME: root.path };
    const { stdout, stderr } = spawnSync('zsh', ['-fc', script], { encoding: 'utf8', env });
    assert.equal([stdout, stderr], ['_svc\n', '']);
  },
);

test('a startup file in another encoding keeps its bytes', async () => {
  const root = home();
  const before = Buffer.from('# für später\nalias ll="ls -l"\n', 'latin1');
  const startup = root.write('.bashrc', '');
  writeFileSync(startup, before);
  const options = { home: root.path, env: { SHELL: '/bin/bash' } };
  const install = (...flags: string[]) =>
    runInSession(['completion', 'install', ...flags], options);
  assert.is((await install('--yes')).code, 0);
  assert.equal(readFileSync(startup).subarray(0, before.length), before);
  assert.is((await install('--remove')).code, 0);
  assert.equal(readFileSync(startup), before);
});

test('a folder or a pipe in the place of the startup file is refused before anything is written', async () => {
  for (const make of ['mkdir', 'mkfifo']) {
    const root = home();
    execFileSync(make, [root.at('.bashrc')]);
    const options = { home: root.path, env: { SHELL: '/bin/bash' } };
    const { code, stderr } = await runInSession(['completion', 'install', '--yes'], options);
    assert.is(code, 2);
    assert.is(stderr.split('\n')[0], `error: ${root.at('.bashrc')} is not a regular file`);
    assert.not.ok(readdirSync(root.path).includes('completion'));
  }
});

test('zsh gets compinit first, fish a file in its own folder, and other shells are refused', async () => {
  const root = home();
  // An empty variable means the home folder, not the current one.
  const env = { SHELL: '/usr/bin/zsh', ZDOTDIR: '' };
  const cwd = tempFolder().path;
  await runInSession(['completion', 'install', '--yes'], { home: root.path, env, cwd });
  assert.match(readFileSync(root.at('.zshrc'), 'utf8'), /compinit.* # svc completion\n$/);
  assert.match(readFileSync(root.at('completion/svc.zsh'), 'utf8'), 'compdef');
  const fish = await runInSession(['completion', 'install', 'fish', '--json'], {
    home: root.path,
    env,
  });
  const { scriptFile, startupFile } = JSON.parse(fish.stdout);
  assert.equal([scriptFile, startupFile], [root.at('.config/fish/completions/svc.fish'), null]);
  assert.match(readFileSync(scriptFile, 'utf8'), 'complete -c svc');
  const nu = { home: root.path, env: { SHELL: '/bin/nu' } };
  const other = await runInSession(['completion', 'install'], nu);
  assert.is(other.code, 2);
  const typed = await runInSession(['completion', 'install', 'tcsh'], nu);
  assert.is(
    typed.stderr.split('\n')[0],
    'error: SHELL must be one of: bash, zsh, fish (got "tcsh")',
  );
  assert.match(other.stderr, 'hint: name it: svc completion install bash|zsh|fish');
});

test.run();
