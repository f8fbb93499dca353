import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gistOf } from '../../../../src/engine/dreaming/claims/gist.js';
import { type Relation, relate } from '../../../../src/engine/dreaming/claims/relate.js';

/** An older claim and a newer one. */
const PAIRS: Readonly<Record<Relation, readonly (readonly [string, string])[]>> = {
  same: [
    ['The billing service listens on port 7443.', 'Port 7443 is where billing listens.'],
    ['The billing service listens on port 7443.', 'billing: port 7443'],
    ['Mira owns the billing service.', 'The owner of the billing service is Mira.'],
    ['Mira owns the billing service.', 'Billing is owned by Mira.'],
    ['Mira owns the billing service.', 'Mira is responsible for billing.'],
    ['The standup is at 9:30.', 'Daily standup starts at 09:30.'],
    [
      'Backups of the billing database are kept for 30 days.',
      'Billing DB backups have a 30-day retention.',
    ],
    ['The upload limit is 20 MB.', 'Uploads are capped at 20 MB.'],
  ],
  updates: [
    ['The billing service listens on port 7443.', 'Billing now listens on port 7555.'],
    ['The billing service listens on port 7443.', 'The billing port changed from 7443 to 7555.'],
    ['The billing service listens on port 7443.', 'Billing moved from port 7443 to 7555.'],
    [
      'The billing service listens on port 7443.',
      'Billing no longer listens on 7443, it is on 7555 now.',
    ],
    ['Mira owns the billing service.', 'Jo took over billing from Mira.'],
    ['Mira owns the billing service.', 'Jo is now in charge of billing.'],
    ['Mira owns the billing service.', 'Jo owns the billing service.'],
    ['Mira owns the billing service.', 'Ownership of billing passed from Mira to Jo.'],
    ['Billing is owned by Mira.', 'Billing belongs to Jo now.'],
    ['The standup is at 9:30.', 'Standup moved to 10:00.'],
    ['We use npm for the frontend.', 'We switched from npm to pnpm for the frontend.'],
    ['We use npm for the frontend.', 'The frontend now uses pnpm.'],
    [
      'Backups of the billing database are kept for 30 days.',
      'Billing database backups are now kept for 60 days.',
    ],
    [
      'The nightly backup of the storage server runs at 02:30.',
      'The storage backup starts at 03:15.',
    ],
    ['We deploy on Tuesdays.', 'We deploy on Thursdays now.'],
    ['Ana prefers tea.', 'Ana switched from tea to coffee.'],
    ['The tape robot is in Graz.', 'The tape robot moved to Turku.'],
    ['Staging runs on db2.example.org.', 'Staging now runs on db5.example.org.'],
    ['The upload limit is 20 MB.', 'The upload limit was raised to 50 MB.'],
  ],
  other: [
    [
      'The frontend uses Vite as its bundler.',
      'The importer switched from Vite to Webpack as its bundler.',
    ],
    [
      'The label printer is in the Turku office.',
      'The tape robot is no longer in Turku, it is in the Graz office.',
    ],
    ['Ines owns the payroll service.', 'Spent 20 minutes asking who owns payroll now with Sam.'],
    ['Mira owns the billing service.', 'Jo might take over billing from Mira.'],
    ['The billing service listens on port 7443.', 'The search service listens on port 7444.'],
    ['The billing service listens on port 7443.', 'The search service listens on port 7443.'],
    ['The billing service listens on port 7443.', 'Billing will move to port 7555 next month.'],
    ['The billing service listens on port 7443.', 'The billing database listens on port 5432.'],
    ['Mira owns the billing service.', 'Mira owns the search service.'],
    ['Billing is owned by Mira.', 'Search is owned by Mira.'],
    ['We use npm for the frontend.', 'We use npm for the docs.'],
    [
      'Backups of the billing database are kept for 30 days.',
      'Backups of the search database are kept for 30 days.',
    ],
    ['Release 1.4 is signed by Ana.', 'Release 1.5 is signed by Ana.'],
    ['Ana prefers tea.', 'Ana prefers coffee.'],
    ['Billing has three replicas.', 'Billing keeps 3 backups.'],
    ['Billing listens on port 7555.', 'Billing used to listen on port 7443.'],
    ['Billing listens on port 7555.', 'Billing was down on port 7443 yesterday.'],
    ['The billing service listens on port 7443.', 'The scheduler service listens on port 7004.'],
    ['Mira owns the billing service.', 'Mira owns the scheduler service.'],
  ],
};

for (const relation of ['same', 'updates', 'other'] as const) {
  for (const [older, newer] of PAIRS[relation]) {
    test(`${relation}: ${older} ${newer}`, () => {
      assert.is(relate(gistOf(newer), gistOf(older)), relation);
    });
  }
}

test.run();
