export type { ChatModel } from './chat-model.js';
export { type ChatChoice, chooseChatModel } from './choose-chat-model.js';
export { openChatModel } from './open-chat-model.js';
