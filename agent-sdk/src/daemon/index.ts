/** One directory, many programs: its owner serves the agent, the others use it. */
export { errorName } from './error-name.js';
export { Idle } from './idle.js';
export { DAEMON_LIMITS, SOCKET_LIMITS, SOCKET_VERSION } from './limits.js';
export { wireError } from './messages.js';
export { outcomeData } from './outcome-data.js';
export { connectAgentSocket, type RemoteAgent } from './remote-agent.js';
export { type AgentSocket, type ServeOptions, serveAgentSocket } from './serve.js';
export { type DaemonCommand, reachAgent } from './start-daemon.js';
