import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decisionsIn } from '../../../src/engine/notes/capture/decisions.js';

const test = suite('decisions in conversations');

const said = (role: 'assistant' | 'user', text: string) => ({ role, text, at: undefined });

test('what a person decides or asks to be remembered', () => {
  const turns = [
    said('user', 'Hello. Remember that Ada is away until Monday. What is next?'),
    said('user', "- let's go with PostgreSQL for the flows"),
    said('assistant', 'We could use SQLite. Decision: PostgreSQL, because two hosts write.'),
  ];
  assert.equal(decisionsIn(turns), [
    'Remember that Ada is away until Monday.',
    "let's go with PostgreSQL for the flows",
    'Decision: PostgreSQL, because two hosts write.',
  ]);
});

test('sentences in lower case are told apart', () => {
  const turns = [
    said('user', 'remember that staging runs on host-b. can you fix the test now?'),
    said('user', "redis or postgres? let's go with postgres for the flows! do it like that."),
    said('user', 'from now on we keep approx. five backups, e.g. those of mondays'),
  ];
  assert.equal(decisionsIn(turns), [
    'remember that staging runs on host-b.',
    "let's go with postgres for the flows!",
    'from now on we keep approx. five backups, e.g. those of mondays',
  ]);
});

test('reminders and typographic apostrophes', () => {
  const text = 'Don’t forget to renew the certificate in May.\nLet’s go with PostgreSQL here.';
  assert.equal(decisionsIn([said('user', text)]), text.split('\n'));
});

test('nothing is kept that says nothing by itself', () => {
  const turns = [
    said('user', 'We decided nothing yet about hosting.\nWe settled on that.'),
    said('user', "Okay, let's go with it!"),
    said('assistant', 'We agreed on this.'),
  ];
  assert.equal(decisionsIn(turns), []);
});

test('what was not decided, might be, or was said by somebody else', () => {
  const turns = [
    said('assistant', "We haven't decided on a database yet. You have not decided to use SQLite."),
    said('assistant', 'No decision: the hosting stays open.'),
    said('user', 'If we decided on Postgres, we would need a second host.'),
    said('user', 'I don’t think we agreed on Redis.'),
    said('user', "> Let's go with SQLite for the flows.\n\nNo."),
    said('user', 'Since Redis is not supported we decided to drop it.'),
  ];
  assert.equal(decisionsIn(turns), ['Since Redis is not supported we decided to drop it.']);
});

test('a decision after inline code at the start of a line', () => {
  const text = '```npm ci``` fails.\nFrom now on we use pnpm for everything.';
  assert.equal(decisionsIn([said('user', text)]), ['From now on we use pnpm for everything.']);
});

test('no proposals, questions, code, secrets or repetitions', () => {
  const turns = [
    said('assistant', "Let's go with SQLite for now."),
    said('user', 'Have we decided on the port?'),
    said('user', '```\n// from now on this is deprecated code\n```'),
    said('user', 'Remember that the password is ********.'),
    said('user', 'From now on, write tests first.\nfrom now on, write tests first.'),
    said('user', 'Remember that <!-- svc:x --> is a comment.'),
  ];
  assert.equal(decisionsIn(turns), ['From now on, write tests first.']);
});

test.run();
