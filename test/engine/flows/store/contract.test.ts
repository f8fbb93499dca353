import { flowsOn, pooledServers, SQLITE } from '../../../support/flow-stores.js';
import { testServers } from '../../../support/postgres.js';
import { storeContract } from './contract.js';

const servers = await testServers();
const pooled = servers
  .filter(({ connections }) => connections > 1)
  .map((postgres) => ({
    ...flowsOn(postgres, pooledServers),
    name: 'PostgreSQL behind a pooler',
    // The next suite uses it too.
    stop: async () => undefined,
  }));
for (const store of [SQLITE, ...pooled, ...servers.map((one) => flowsOn(one))]) {
  storeContract(store);
}
