import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod/mini';
import { migrateStorage } from '../../../src/engine/storage/migrate-storage.js';
import {
  storageMigrateOutputSchema,
  storageStatusOutputSchema,
} from '../../../src/engine/storage/output-schemas.js';
import { storageStatus } from '../../../src/engine/storage/storage-status.js';
import { startPostgresFake } from '../../fakes/postgres.js';
import { failureOf } from '../../support/failure.js';
import { testServers } from '../../support/postgres.js';
import { storageHost } from './support.js';

const statusDocument = z.omit(storageStatusOutputSchema, { warnings: true });
const migrateDocument = z.omit(storageMigrateOutputSchema, { warnings: true });

for (const postgres of await testServers()) {
  const on = suite(`the store on ${postgres.name}`);
  on.after(() => postgres.stop());

  on('is empty, then migrated, then up to date', async () => {
    const { context, loaded } = storageHost(await postgres.newDatabase());
    const before = await storageStatus(context, loaded);
    z.parse(statusDocument, before);
    assert.is(before.server?.schemaVersion, 0);
    assert.is(before.server?.usable, before.server?.pending.length === 0);
    const applied: number[] = [];
    const onApplied = ({ version }: { readonly version: number }) => applied.push(version);
    const would = await migrateStorage(context, loaded, { dryRun: true, onApplied });
    z.parse(migrateDocument, would);
    assert.equal(applied, []);
    assert.is((await storageStatus(context, loaded)).server?.schemaVersion, 0);
    await migrateStorage(context, loaded, { dryRun: false, onApplied });
    assert.equal(
      applied,
      would.migrations.map(({ version }) => version),
    );
    const again = await migrateStorage(context, loaded, { dryRun: false, onApplied });
    assert.equal(again.migrations, []);
    const after = await storageStatus(context, loaded);
    z.parse(statusDocument, after);
    assert.ok(after.server?.usable);
    assert.is(after.origin, 'here');
    assert.ok((after.server?.sizes.database ?? 0) > 0);
  });

  on('compares its clock with that of the host', async () => {
    const url = await postgres.newDatabase();
    const { context, loaded } = storageHost(url, () => Date.now() - 600_000);
    const ahead = (await storageStatus(context, loaded)).server?.clockAheadMs ?? 0;
    assert.ok(Math.abs(ahead - 600_000) < 5000, String(ahead));
  });

  on.run();
}

test('without a URL, the database files are listed', async () => {
  const { context, loaded } = storageHost();
  const status = z.parse(statusDocument, await storageStatus(context, loaded));
  assert.is(status.store, 'sqlite');
  assert.is(status.server, null);
  assert.ok(status.files?.flows.startsWith(context.state.stateDir));
  assert.is(status.files?.indexes.length, 1);
  const onApplied = () => undefined;
  const refused = await failureOf(migrateStorage(context, loaded, { dryRun: false, onApplied }));
  assert.is(refused.code, 'USAGE');
});

test('version 14 is refused', async () => {
  const fake = await startPostgresFake((sql) => {
    if (sql.includes('server_version')) return [{ version: '14.11', schemaVersion: '0' }];
    if (sql.includes('mayUse')) return [{ role: 'svc', mayUse: 't' }];
    return [];
  });
  try {
    const { context, loaded } = storageHost(fake.url);
    const onApplied = () => undefined;
    const refused = await failureOf(migrateStorage(context, loaded, { dryRun: false, onApplied }));
    assert.is(refused.code, 'STORAGE_UNSUPPORTED');
    assert.match(refused.message, /14\.11/);
    assert.match(refused.hint ?? '', /15 or newer/);
  } finally {
    await fake.stop();
  }
});

test.run();
