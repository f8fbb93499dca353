import { writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MASK } from '../../../../src/engine/masking/index.js';
import { titleOf } from '../../../../src/engine/memory/sources/archive/archive-store.js';
import { exportedConversation } from '../../../../src/engine/memory/sources/archive/exported-conversation.js';
import { JsonElements } from '../../../../src/engine/memory/sources/archive/read-export.js';
import { SessionArchive } from '../../../../src/engine/memory/sources/archive/session-archive.js';
import { MS_PER_DAY } from '../../../../src/engine/support/time.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('data exports');

const NOW = Date.parse('2026-03-01');
const node = (
  id: string,
  parent: string | null,
  role: string,
  parts: unknown,
  more: object = {},
) => ({
  [id]: {
    id,
    parent,
    children: [],
    message:
      role === ''
        ? null
        : {
            id,
            author: { role },
            create_time: 1_770_091_506.5,
            content: { content_type: 'text', parts },
            ...more,
          },
  },
});
const CHATGPT = {
  title: 'Planning soup',
  create_time: 1_770_091_500,
  update_time: 1_770_091_600.25,
  conversation_id: '6983a1b2-0000',
  current_node: 'd',
  mapping: {
    ...node('root', null, '', []),
    ...node('a', 'root', 'system', ['You are helpful.']),
    ...node('b', 'a', 'user', ['which soup', { content_type: 'image_asset_pointer' }]),
    ...node('other', 'b', 'assistant', ['A branch that was replaced.']),
    ...node('tool', 'b', 'assistant', ['search("soup")'], { recipient: 'browser' }),
    ...node('hidden', 'tool', 'user', ['x'], {
      metadata: { is_visually_hidden_from_conversation: true },
    }),
    ...node('d', 'hidden', 'assistant', ['Leek soup, password=hunter2hunter2']),
  },
};
const CLAUDE = {
  uuid: '0a1b-2c3d',
  name: '',
  created_at: '2026-01-03T04:05:06.000000Z',
  updated_at: '2026-01-04T04:05:06.000000Z',
  chat_messages: [
    {
      uuid: 'm1',
      sender: 'human',
      text: 'old text',
      created_at: '2026-01-03T04:05:06.000000Z',
      attachments: [],
    },
    {
      uuid: 'm2',
      sender: 'assistant',
      text: 'shorter',
      content: [
        { type: 'tool_use', name: 'web' },
        { type: 'text', text: 'the answer' },
      ],
      created_at: 'yesterday',
    },
  ],
};

async function imported(bytes: Uint8Array | string, name = 'export.zip') {
  const folder = tempFolder();
  const file = folder.at(name);
  writeFileSync(file, bytes);
  const archive = new SessionArchive({
    file: folder.at('archive.sqlite'),
    retention: 'follow',
    maxAgeDays: 0,
    maxBytes: 0,
    imports: [file],
  });
  const update = () => archive.update([], { leftOf: (text) => text, nowMs: NOW });
  await update();
  const { files, skipped } = archive.list(() => false);
  const found = files.map(({ path, turns }) => ({
    path,
    turns: [...(turns?.() ?? [])].map(({ line, role, text }) => `${line} ${role}: ${text}`),
  }));
  return { folder, file, archive, update, found, faults: skipped.map(({ detail = '' }) => detail) };
}

const CHATGPT_FOUND = {
  path: 'sessions/chatgpt/6983a1b2-0000',
  turns: ['1 user: which soup', '2 assistant: Leek soup, password=[redacted]'],
};
const CLAUDE_FOUND = {
  path: 'sessions/claude/0a1b-2c3d',
  turns: ['1 user: old text', '2 assistant: the answer'],
};
const zip = (content: unknown): Uint8Array =>
  zipSync({
    'chat.html': Buffer.from('<html>'),
    'conversations.json': Buffer.from(JSON.stringify(content)),
    'pictures/a.png': Buffer.alloc(100),
  });

test('a ChatGPT export: names and links as they were read, without marks of sources', () => {
  const parts = [
    'A review by \ue200entity\ue202["people","Ada L. Byron",0]\ue201 is in \ue200url\ue202this paper\ue202turn0search1\ue201. \ue200cite\ue202turn0search3\ue202turn0search8\ue201',
    '\ue200image_group\ue202{"query":["soup"]}\ue201\ue200entity\ue202broken\ue201Enjoy!',
  ];
  const mapping = { ...node('root', null, '', []), ...node('a', 'root', 'assistant', parts) };
  const found = exportedConversation({ ...CHATGPT, current_node: 'a', mapping });
  assert.equal(
    found?.turns.map(({ text }) => text),
    ['A review by Ada L. Byron is in this paper. \nEnjoy!'],
  );
});

test('a Claude export: the branch that was shown last, if its messages name what they follow', () => {
  const first = '00000000-0000-4000-8000-000000000000';
  const said = (uuid: string, parent: string, sender: string, text: string) => ({
    uuid,
    parent_message_uuid: parent,
    sender,
    text,
  });
  const messages = [
    said('a', first, 'human', 'wich soup'),
    said('b', 'a', 'assistant', 'A sandwich?'),
    said('c', first, 'human', 'which soup'),
    said('d', 'c', 'assistant', 'Leek.'),
    said('e', 'd', 'human', 'thanks'),
  ];
  const textsOf = (all: readonly object[]) =>
    exportedConversation({ ...CLAUDE, chat_messages: all })?.turns.map(({ text }) => text);
  assert.equal(textsOf(messages), ['which soup', 'Leek.', 'thanks']);
  // Without the beginning of a branch, nothing is left out.
  assert.is(textsOf(messages.filter(({ uuid }) => uuid !== 'c'))?.length, 4);
  const circle = [said('a', 'b', 'human', 'one'), said('b', 'a', 'assistant', 'two')];
  assert.equal(textsOf(circle), ['one', 'two']);
});

test('a ChatGPT export: the branch that was shown last, without tools and hidden messages', async () => {
  const { found, archive, faults } = await imported(zip([CHATGPT]));
  assert.equal(
    found.map(({ path }) => path),
    [CHATGPT_FOUND.path],
  );
  assert.equal(found[0]?.turns[0], CHATGPT_FOUND.turns[0]);
  assert.match(found[0]?.turns[1] ?? '', /^2 assistant: Leek soup/);
  assert.not.match(found[0]?.turns[1] ?? '', 'hunter2');
  assert.equal(faults, []);
  const [session] = archive.sessions();
  assert.is(session?.title, 'Planning soup');
  assert.is(session?.startedAt, '2026-02-03T04:05:06.500Z');
});

test('a Claude export, as the JSON file itself: blocks of text, else the text', async () => {
  const { found, archive } = await imported(
    JSON.stringify([CLAUDE], undefined, 2),
    'conversations.json',
  );
  assert.equal(found, [CLAUDE_FOUND]);
  assert.is(archive.sessions()[0]?.title, 'old text');
});

test('a title that is cut has no half of a secret or of a character', () => {
  const element = (title: string) => ({ name: title, uuid: 'a', chat_messages: [] });
  const secret = exportedConversation(element(`${'x'.repeat(60)} ghp_${'A1b2'.repeat(9)}`));
  assert.is(secret?.title, `${'x'.repeat(60)} ${MASK}`);
  const emoji = exportedConversation(element(`x${'🎉'.repeat(60)}`));
  assert.is(emoji?.title, `x${'🎉'.repeat(39)}`);
  const turn = { role: 'user', text: `ab ${'🎉'.repeat(400)}`, at: undefined, line: 1 } as const;
  assert.is(titleOf([turn]), `ab ${'🎉'.repeat(38)}…`);
});

test('a newer export updates what changed, and keeps what is missing from it', async () => {
  const { archive, file, update } = await imported(zip([CHATGPT, CLAUDE]));
  const later = {
    ...CLAUDE,
    updated_at: '2026-02-04T04:05:06Z',
    chat_messages: [...CLAUDE.chat_messages, { sender: 'human', text: 'thanks' }],
  };
  writeFileSync(file, zip([later]));
  assert.is(archive.isBehind([], Date.now()), true);
  await update();
  assert.is(archive.isBehind([], Date.now()), false);
  assert.equal(
    archive.sessions().map(({ path, turns }) => [path, turns]),
    [
      [CHATGPT_FOUND.path, 2],
      [CLAUDE_FOUND.path, 3],
    ],
  );
  // Without the path they are not searched, but stay.
  const without = new SessionArchive({ ...archive.settings, imports: [] });
  assert.equal(without.list(() => false).files, []);
  assert.is(without.sessions().length, 2);
});

test('forgetting a part keeps the title of an export, unless it has that part', async () => {
  const titleAfter = async (exported: object, forgotten: string) => {
    const { archive } = await imported(zip([exported]));
    await archive.erase((text) => text.replaceAll(forgotten, ''));
    return archive.sessions()[0]?.title;
  };
  assert.is(await titleAfter(CHATGPT, 'which soup'), 'Planning soup');
  assert.is(await titleAfter(CHATGPT, 'soup'), 'which');
  // Cut in the middle of what is forgotten.
  assert.is(
    await titleAfter({ ...CHATGPT, title: 'which so…' }, 'which soup'),
    `Leek soup, password=${MASK}`,
  );
  assert.is(await titleAfter(CLAUDE, 'old text'), 'the answer');
  const { archive } = await imported(zip([CHATGPT]));
  await archive.erase(() => '');
  assert.is(archive.sessions()[0]?.title, '');
});

test('what is not forgotten any more comes back from an export', async () => {
  const { archive, update } = await imported(zip([CHATGPT]));
  await archive.erase((text) => (text === 'which soup' ? '' : text));
  assert.is(archive.sessions()[0]?.turns, 1);
  await update();
  assert.is(archive.sessions()[0]?.turns, 2);
});

test('ids and names of an export are never paths', async () => {
  const bad = zipSync({
    '../../../conversations.json': Buffer.from(JSON.stringify([CLAUDE])),
    'a/conversations.json': Buffer.from(JSON.stringify([{ ...CLAUDE, uuid: '../../etc/passwd' }])),
  });
  const { found } = await imported(bad);
  for (const { path } of found) assert.match(path, /^sessions\/claude\/[\w-]+$/);
  assert.ok(found.length >= 1);
});

test('what was spoken to ChatGPT is imported with its transcription', async () => {
  const content_type = 'multimodal_text';
  const spoken = (text: string) => [
    { content_type: 'audio_transcription', direction: 'in', text },
    { content_type: 'audio_asset_pointer', asset_pointer: 'sediment://file_1', format: 'wav' },
  ];
  const textContent = (text: string) => ({ content: { content_type, parts: spoken(text) } });
  const mapping = {
    ...node('a', null, 'user', [], textContent('which soup')),
    ...node('b', 'a', 'assistant', [], textContent('Leek soup.')),
  };
  const { found } = await imported(zip([{ conversation_id: 'c', current_node: 'b', mapping }]));
  const turns = ['1 user: which soup', '2 assistant: Leek soup.'];
  assert.equal(found, [{ path: 'sessions/chatgpt/c', turns }]);
});

test('a conversation without times counts as continued until its export was written', async () => {
  const { update_time: _, create_time: __, ...timeless } = CHATGPT;
  const untimed = { mapping: node('b', null, 'user', ['which soup'], { create_time: 0 }) };
  const bytes = JSON.stringify([{ ...timeless, ...untimed, current_node: 'b' }]);
  const { archive } = await imported(bytes, 'conversations.json');
  const [conversation] = archive.list(() => false).files;
  // The file is newer than any that counts as finished.
  assert.is(conversation?.mtimeMs, NOW - MS_PER_DAY);
  assert.is([...(conversation?.turns?.() ?? [])][0]?.at, undefined);
});

test('a circular mapping ends', async () => {
  const mapping = { ...node('a', 'b', 'user', ['one']), ...node('b', 'a', 'user', ['two']) };
  const { found } = await imported(zip([{ conversation_id: 'c', current_node: 'a', mapping }]));
  assert.equal(found, [{ path: 'sessions/chatgpt/c', turns: ['1 user: two', '2 user: one'] }]);
});

test('invalid exports are reported, and valid conversations are imported anyway', async () => {
  const cases: readonly (readonly [content: Uint8Array | string, fault: RegExp, found: number])[] =
    [
      ['{"a": 1}', /not a JSON array/, 0],
      ['', /ends in the middle/, 0],
      [zipSync({ 'notes.json': Buffer.from('[]') }), /no conversations\.json/, 0],
      [JSON.stringify([CLAUDE, 7, { mapping: 3 }]), /2 of 3 conversations/, 1],
      [JSON.stringify([CLAUDE, CHATGPT]).slice(0, -40), /ends in the middle/, 1],
      [zip([CLAUDE]).slice(0, 200), /ends in the middle/, 0],
    ];
  for (const [content, fault, count] of cases) {
    const { found, faults } = await imported(content);
    assert.match(faults.join(), fault);
    assert.is(found.length, count, faults.join());
  }
});

test('a zip that is compressed in another way is reported', async () => {
  const bytes = Buffer.from(zipSync({ 'conversations.json': Buffer.from('[]') }));
  // BZIP2.
  bytes.writeUInt16LE(12, 8);
  const { found, faults } = await imported(bytes);
  assert.equal(found, []);
  assert.match(faults.join(), /compression is not supported; unpack it/);
});

test('the branch of a message that is missing is the last one', async () => {
  const message = { author: { role: 'user' }, content: { content_type: 'text', parts: ['hi'] } };
  const mapping = { a: { message, children: [] } };
  const { found } = await imported(zip([{ id: 'c', current_node: 'b', mapping }]));
  assert.equal(found, [{ path: 'sessions/chatgpt/c', turns: ['1 user: hi'] }]);
});

test('a zip bomb is refused after its first megabytes', async () => {
  const bomb = Buffer.alloc(100 * 1024 * 1024, 0x20);
  bomb[0] = 0x5b;
  const packed = deflateRawSync(bomb);
  const name = Buffer.from('conversations.json');
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(bomb.length, 22);
  header.writeUInt16LE(name.length, 26);
  const { found, faults } = await imported(Buffer.concat([header, name, packed]));
  assert.equal(found, []);
  assert.match(faults.join(), /zip bomb/);
});

test('elements of an array are found however its bytes are split', () => {
  const values = [{ a: '],[' }, [1, [2]], 'x"y\\', { b: { c: ['é🦊'] } }];
  const bytes = Buffer.from(` \n${JSON.stringify(values, undefined, 1)} trailing`);
  for (const size of [1, 2, 3, 7, 1000]) {
    const elements = new JsonElements(1000);
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      found.push(...elements.add(bytes.subarray(at, at + size)));
    }
    assert.equal(
      found.map((text) => JSON.parse(text)),
      values,
    );
    assert.ok(elements.isDone);
  }
  const small = new JsonElements(10);
  assert.equal(small.add(Buffer.from('["much too long for it",1]')), ['1']);
  assert.is(small.tooLong, 1);
});

test.run();
