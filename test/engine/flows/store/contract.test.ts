import { flowsOn, SQLITE } from '../../../support/flow-stores.js';
import { testServers } from '../../../support/postgres.js';
import { storeContract } from './contract.js';

const servers = await testServers();
for (const store of [SQLITE, ...servers.map(flowsOn)]) storeContract(store);
