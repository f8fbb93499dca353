import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gistOf } from '../../../../src/engine/dreaming/claims/gist.js';
import { relate } from '../../../../src/engine/dreaming/claims/relate.js';

function updates(older: string, newer: string): boolean {
  return relate(gistOf(newer), gistOf(older)) === 'updates';
}

/** An older claim and a newer one that makes it obsolete. */
const SUPERSEDES = [
  ['We live in Lisbon.', 'We live in Porto now.'],
  ['We live in Lisbon.', 'We moved from Lisbon to Porto.'],
  ['I live in Madrid.', 'I moved house: I live in Toledo now.'],
  ['I live in Madrid.', 'I moved house to Toledo.'],
  ['Ana lives in Berlin.', 'Ana moved to Hamburg.'],
  ['Ana lives in Berlin.', 'Ana moved from Berlin to Hamburg.'],
  ['Our address is 12 Elm Street.', 'Our address is now 4 Oak Road.'],
  ['Mira works at Acme.', 'Mira works at Globex now.'],
  ['Mira works at Acme.', 'Mira started a new job at Globex.'],
  ['My employer is Acme.', 'My employer is Globex.'],
  ["Ben's manager is Ana.", "Ben's manager is Carla."],
  ['The billing service listens on port 7443.', 'The billing service listens on port 7555.'],
  ['The billing service listens on port 7443.', 'Billing moved from port 7443 to 7555.'],
  ['Postgres runs on port 5432.', 'Postgres runs on port 5433 now.'],
  ["Ana's phone number is 555-1234.", "Ana's phone number is 555-9876."],
  ['Ana uses Vim.', 'Ana switched to Emacs.'],
  ['Ana uses Vim.', 'Ana no longer uses Vim.'],
  ['Ana uses Vim.', "Ana doesn't use Vim anymore."],
  ['Ana lives in Berlin.', 'Ana does not live in Berlin any longer.'],
  ['Mira works at Acme.', 'Mira isn’t at Acme any more.'],
] as const;

/** Two claims that may both be true, or of which neither says that it replaces the other. */
const COEXIST = [
  ['Ana likes tea.', 'Ana likes coffee.'],
  ['Ana likes tea.', 'Ana now likes coffee too.'],
  ['Ana prefers tea.', 'Ana prefers coffee.'],
  ['Ana drinks coffee at work.', 'Ana drinks tea at home.'],
  ['Ana uses Vim.', 'Ana uses Emacs.'],
  ['Ana uses Vim.', "Ben doesn't use Vim anymore."],
  ['Ana uses Vim.', 'Ana moved to Hamburg.'],
  ['Ana lives in Berlin.', 'Ana switched to Emacs.'],
  ['Ana lives in Berlin.', 'Ben lives in Hamburg.'],
  ['Ana lives in Berlin.', "Ana's sister lives in Hamburg."],
  ['Ana lives in Berlin.', 'Ana works in Hamburg.'],
  ['Ana lives in Berlin.', 'Ana visited Hamburg.'],
  ['Ana lives in Berlin.', 'Ana lived in Hamburg.'],
  ['Ana lives in Berlin.', 'Ana used to live in Hamburg.'],
  ['Ana lives in Berlin.', 'Ana might move to Hamburg.'],
  ['Ana lives in Berlin.', 'Ana will move to Hamburg next year.'],
  ['Ana lives in Berlin.', 'Ana wants to live in Hamburg.'],
  ['Ana lives in Berlin.', 'Ana does not live in Hamburg.'],
  ['Ana lives in Berlin.', 'Does Ana live in Hamburg?'],
  ['We live in Lisbon.', 'We moved to Slack.'],
  ['Our office is in Lisbon.', 'Our second office is in Porto.'],
  ['Mira works at Acme.', 'Mira also works at Globex.'],
  ['Mira works at Acme.', 'Mira worked at Globex.'],
  ['Mira works at Acme.', 'Mira works with Globex.'],
  ['Mira works at Acme.', 'Mira applied to Globex.'],
  ['Mira works at Acme.', 'Tom works at Globex.'],
  ['Mira works at Acme on Mondays.', 'Mira works at Globex on Tuesdays.'],
  ['The billing service listens on port 7443.', 'The search service listens on port 7555.'],
  ['The billing service listens on port 7443.', 'The billing service also listens on port 7555.'],
  [
    'The billing service listens on port 7443.',
    'The staging billing service listens on port 7555.',
  ],
  [
    'The billing service listens on port 7443.',
    'The billing service exposes metrics on port 9090.',
  ],
  ['The nightly backup runs at 02:30.', 'The weekly backup runs at 04:00.'],
  ['Ben is allergic to nuts.', 'Ben is allergic to pollen.'],
  ['Ben speaks German.', 'Ben speaks French.'],
  ['Ben owns a cat called Tom.', 'Ben owns a dog called Rex.'],
  ["Ana's phone number is 555-1234.", "Ben's phone number is 555-9876."],
  ["Ana's phone number is 555-1234.", "Ana's office number is 555-9876."],
  ["Ben's manager is Ana.", "Lea's manager is Carla."],
  ['The API limit is 100 requests.', 'The API timeout is 30 seconds.'],
] as const;

test('a newer statement of another value supersedes an older one', () => {
  const missed = SUPERSEDES.filter(([older, newer]) => !updates(older, newer));
  assert.equal(missed, []);
});

test('uncertain pairs coexist, in both directions of time', () => {
  const wrong = COEXIST.filter(([older, newer]) => updates(older, newer));
  assert.equal(wrong, []);
  // Of two statements about the present, either may be the newer one.
  const turned = COEXIST.filter(([older, newer]) => updates(newer, older));
  assert.equal(turned, []);
});

test('a claim and its denial are not the same, in either order', () => {
  const pairs = [
    [
      'The billing service listens on port 7443.',
      'The billing service does not listen on port 7443.',
    ],
    ['Feature flags are allowed in production.', 'Feature flags are never allowed in production.'],
    ['Backups are encrypted with age.', 'Backups are no longer encrypted with age.'],
    ['Ana eats meat.', 'Ana doesn’t eat meat.'],
  ] as const;
  for (const [said, denied] of pairs) {
    assert.is(relate(gistOf(denied), gistOf(said)), 'other', denied);
    assert.is(relate(gistOf(said), gistOf(denied)), 'other', denied);
    assert.is(relate(gistOf(denied), gistOf(denied)), 'same', denied);
  }
  const noDeploys = gistOf('No deploys run on Fridays.');
  assert.is(relate(noDeploys, gistOf('Deploys never run on Fridays.')), 'same');
  assert.is(relate(noDeploys, gistOf('Deploys run on Fridays.')), 'other');
  // This denies only another value.
  const backup = gistOf('The nightly backup runs at 02:30.');
  assert.is(relate(gistOf('The nightly backup runs at 02:30, not at 03:30.'), backup), 'same');
});

test('a claim never supersedes itself, whatever its case and punctuation', () => {
  for (const [older, newer] of [...SUPERSEDES, ...COEXIST]) {
    for (const text of [older, newer]) assert.not(updates(text, `${text.slice(0, -1)}!`), text);
  }
});

test.run();
