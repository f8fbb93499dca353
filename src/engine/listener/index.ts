export { createHttpServer, readCertificate, sendFault } from './http-server.js';
export {
  checkAddresses,
  clientAddressOf,
  clientNetworkOf,
  listenOn,
  networkList,
} from './listen.js';
