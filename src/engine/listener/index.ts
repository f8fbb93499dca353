export { createHttpServer, readCertificate, type UnroutedRequest } from './http-server.js';
export {
  checkAddresses,
  clientAddressOf,
  clientNetworkOf,
  listenOn,
  networkList,
} from './listen.js';
