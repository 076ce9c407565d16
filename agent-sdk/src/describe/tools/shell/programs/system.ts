/** Programs that change the machine: services, processes, users, schedules, firewalls. Must not know other programs. */
import { type Effect, effect } from '../effect.js';
import { has, readLine, valuesOf } from '../words.js';
import { FED, type Rules, type Use } from './use.js';

function kill(use: Use): Effect[] {
  const { operands } = readLine(
    use.args.filter((word) => !/^-(?:\d+|[A-Z]+)$/.test(word)),
    ['-s', '-n', '-u', '-t'],
  );
  const targets = [...operands, ...(use.fed ? [FED] : [])];
  const all =
    use.args.some((word) => word === '-1' || word === '0') && use.program === 'kill' && operands.length === 0;
  if (use.args.some((word) => word === '-l' || word === '-L')) return [];
  return (all ? ['every process'] : targets).map((one) =>
    effect('halts', `${/^\d+$/.test(one) ? 'process ' : ''}${one}`, all ? 'high' : 'normal'),
  );
}

function power(use: Use): Effect[] {
  return [effect('halts', 'the machine', use.args.includes('-c') ? 'normal' : 'high')];
}

const QUIET_SERVICE_VERBS = /^(?:status|show|list-.*|is-.*|cat|help|print.*|list)$/;

function service(use: Use): Effect[] {
  const { operands } = readLine(use.args, ['-t', '--type', '-n', '-p', '-H', '-M']);
  const [first = '', ...rest] = operands;
  const [verb, names] = use.program === 'service' ? [rest[0] ?? '', [first]] : [first, rest];
  const what = names.join(', ') || 'the machine';
  if (verb === '' || QUIET_SERVICE_VERBS.test(verb)) return [];
  if (/^(?:try-|reload-or-)?restart$/.test(verb)) return [effect('restarts', what, 'high')];
  if (/^(?:stop|kill|mask|unload|poweroff|reboot|halt|isolate)$/.test(verb))
    return [effect('halts', what, 'high')];
  if (/^disable$/.test(verb)) return [effect('halts', `${what} for good`, 'high')];
  if (/^(?:enable|load|bootstrap|link|edit)$/.test(verb)) return [effect('persists', what, 'high')];
  return [effect('changes', `${what} (${verb})`)];
}

function schedule(use: Use): Effect[] {
  if (use.program === 'at' || use.program === 'batch') return [effect('persists', 'a job for later', 'high')];
  if (has(use.args, '-l')) return [];
  return [
    has(use.args, '-r')
      ? effect('deletes', 'the crontab', 'high')
      : effect('persists', 'the crontab', 'high'),
  ];
}

function accounts(use: Use): Effect[] {
  const { operands } = readLine(use.args, ['-a', '-G', '-g', '-s', '-d', '-u', '-c', '-p', '-e']);
  const who = operands.join(' ') || 'this user';
  const groups = valuesOf(use.args, '-aG', '-G', '--groups').join(', ');
  if (/del/.test(use.program)) return [effect('deletes', `the account ${who}`, 'high')];
  return [effect('grants', `the account ${who}${groups === '' ? '' : ` (${groups})`}`, 'high')];
}

function firewall(use: Use): Effect[] {
  if (
    use.args.length === 0 ||
    has(use.args, '-L', '--list', '-S') ||
    /^(?:status|list|show)$/.test(use.args[0] ?? '')
  )
    return [];
  return [effect('changes', `the firewall (${use.program} ${use.args.slice(0, 4).join(' ')})`, 'high')];
}

function mounts(use: Use): Effect[] {
  const { operands } = readLine(use.args, ['-t', '-o']);
  return operands.length === 0 ? [] : [effect('changes', `what is mounted (${operands.join(' ')})`, 'high')];
}

function kernel(use: Use): Effect[] {
  const writes =
    use.program !== 'sysctl' || use.args.some((word) => word.includes('=') || word === '-w' || word === '-p');
  return writes
    ? [effect('changes', `the kernel (${use.program} ${use.args.slice(0, 3).join(' ')})`, 'high')]
    : [];
}

function settings(use: Use): Effect[] {
  const [verb = ''] = use.args;
  return /^(?:write|delete|import|set|reset)$/.test(verb)
    ? [effect('changes', `settings (${use.args.slice(1, 3).join(' ')})`)]
    : [];
}

function environmentDump(use: Use): Effect[] {
  return use.args.length === 0 ? [effect('reads_secrets', 'the environment')] : [];
}

export const SYSTEM_RULES: Rules = [
  ['kill pkill killall taskkill skill xkill', kill],
  ['shutdown reboot poweroff halt init telinit', power],
  ['systemctl service launchctl rc-service supervisorctl pm2 sc', service],
  ['crontab at batch', schedule],
  ['useradd adduser usermod userdel deluser groupadd groupdel gpasswd passwd chpasswd visudo', accounts],
  ['iptables ip6tables nft ufw firewall-cmd pfctl', firewall],
  ['mount umount swapoff swapon losetup cryptsetup', mounts],
  ['sysctl modprobe insmod rmmod', kernel],
  ['defaults gsettings dconf', settings],
  ['env printenv', environmentDump],
];
