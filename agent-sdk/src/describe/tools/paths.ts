/** What a path stands for, by its look alone. Guesses for an estimate; nothing is read. Must not know programs. */
import { listOf } from '../list-of.js';

/** Directories that any build makes again. */
const MADE_AGAIN: ReadonlySet<string> = new Set([
  ...listOf('.cache .next .nuxt .nyc_output .parcel-cache .pytest_cache .turbo .vite __pycache__'),
  ...listOf('build cmake-build-debug coverage dist node_modules obj out target temp tmp'),
]);

const SYSTEM =
  /^(?:\/(?:bin|boot|dev|etc|lib\w*|opt|proc|root|sbin|srv|sys|usr|var|Applications|Library|System)(?:\/|$)|[A-Za-z]:[\\/](?:Windows|Program Files))/;
const DEVICE = /^(?:\/dev\/(?!null$|zero$|stdout$|stderr$|stdin$|tty$|fd\/|u?random$|full$)|\\\\\.\\)/;
const SECRET_FILE =
  /(?:^|[/\\])(?:\.(?:ssh|aws|gnupg|kube)[/\\]?|\.ssh[/\\](?!known_hosts$|config$)[^/\\]*(?<!\.pub)|id_(?:rsa|dsa|ecdsa|ed25519)|\.aws[/\\]credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.kube[/\\]config|\.docker[/\\]config\.json|\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]+)?|\.gnupg(?:[/\\].*)?|credentials\.json|secrets?\.(?:ya?ml|json|toml)|shadow|[^/\\]+\.(?:pem|p12|pfx|key|keystore|jks|kdbx))$/i;
const STARTS_BY_ITSELF =
  /(?:^|[/\\])(?:\.(?:bash_profile|bash_login|bashrc|profile|zshrc|zprofile|zshenv|zlogin|config[/\\]fish[/\\]config\.fish|ssh[/\\](?:authorized_keys|config|rc)|git[/\\]hooks[/\\][^/\\]+|config[/\\](?:autostart|systemd)[/\\].+)|authorized_keys|crontab|sudoers|ld\.so\.preload|rc\.local|Library[/\\]Launch(?:Agents|Daemons)[/\\].+|(?:cron\.(?:d|daily|hourly|weekly|monthly)|systemd|init\.d|profile\.d|sudoers\.d)[/\\].+)$/;

/** Nobody misses it: scratch space, and what a build makes again. */
export function isThrowaway(path: string): boolean {
  if (/[*?]|\.\./.test(path.replace(/^\.\//, '')))
    return /^\/(?:var\/)?tmp\/[\w.-]+\/./.test(path) && !path.includes('..');
  if (/^\/(?:var\/)?tmp\/./.test(path)) return true;
  const last =
    path
      .replace(/[/\\]+$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  return MADE_AGAIN.has(last) || /\.(?:log|tmp|bak|pyc|o)$/.test(last);
}

/** The whole of something: a root, a home, everything here, or whatever an unset variable leaves over. */
export function isEverything(path: string): boolean {
  const bare = path.replace(/[/\\]+\*?$/, '').replace(/^\.\//, '');
  if (bare === '' || /^[*.]+$/.test(bare) || /^[A-Za-z]:$/.test(bare)) return true;
  if (/^(?:~|\$\{?HOME\}?|\$\{?PWD\}?|\/(?:home|Users)(?:\/[^/]+)?|\/[^/]+)$/.test(bare))
    return !bare.startsWith('/tmp');
  return /^\$\{?\w+\}?$/.test(bare) && /[/\\]\*?$/.test(path);
}

export function isSystemPath(path: string): boolean {
  return SYSTEM.test(path) && !/^\/(?:dev\/(?:null|stdout|stderr|tty)|var\/tmp)(?:\/|$)/.test(path);
}

/** A disk or another device; writing there is not writing a file. */
export function isDevice(path: string): boolean {
  return DEVICE.test(path);
}

/** Where output goes to be dropped or to be read on the screen. */
export function isNowhere(path: string): boolean {
  return /^(?:\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)|nul|\$null|-|)$/i.test(path);
}

export function isSecretFile(path: string): boolean {
  return path.length <= 4_096 && SECRET_FILE.test(path);
}

/** Files that something else runs later, without anybody asking. */
export function startsByItself(path: string): boolean {
  return path.length <= 4_096 && STARTS_BY_ITSELF.test(path);
}
