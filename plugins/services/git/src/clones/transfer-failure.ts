const unreachable = 'its host cannot be reached, or ends the connection';
const unknownHost = 'the name of its host is not known';
const noLogin = 'its host does not accept the login of the server';
const noRepository = 'its host knows no such repository';

/** What git and the system write, and what it means. Their text may name places and addresses that callers must not know. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/^only \d+ bytes of the disk are free/, 'the disk of the server has too little room left'],
  [/^the clones take all of the/, 'the clones take all of the disk that they may, and all are in use'],
  [/No space left on device|ENOSPC|Disk quota exceeded|EDQUOT/i, 'the disk of the server is full'],
  [/Read-only file system|EROFS/i, 'the disk of the server is read-only'],
  [/EMFILE|Too many open files/i, 'the server has too many open files'],
  [/takes more than \d+ bytes|larger than/i, 'it takes more disk than the server gives to a clone'],
  [/^its history begins with too many/, 'it has too many tags to be cloned with a depth'],
  [/dumb http transport/, 'its host has only files, of which none can be cloned with a depth'],
  [/out of memory|memory exhausted|cannot allocate/i, 'it takes more memory than the server gives to git'],
  [/certificate/i, 'the certificate of its host is not accepted'],
  [/identification has changed/i, 'the key of its host is not the one that is known'],
  [/host key/i, 'the key of its host is not known'],
  [/^a (URL of ssh needs|credential helper is)/, 'the server has no login for its host'],
  [
    /could not read (Username|Password)|Authentication failed|Permission denied|error: 40[13]|Invalid credentials/i,
    noLogin,
  ],
  [/could not resolve|name or service not known/i, unknownHost],
  [/not found|error: 404|does not exist|does not appear to be a git repository/i, noRepository],
  [/unable to access|connect|refused|unreachable|timed out|hung up|early EOF|RPC failed|error: 5\d\d/i, unreachable],
];

/** Names that somebody chose, which may read like a reason. */
const names = /'[^']*'|"[^"]*"|\S+:\/\/\S+/g;

/** Why a clone or fetch failed, without what callers must not know. Undefined where that is not understood. */
export function causeOf(said: string): string | undefined {
  const reason = said.replaceAll(names, '');
  return causes.find(([pattern]) => pattern.test(reason))?.[1];
}

/** Other errors of a server, and connections that end half-way, may be of one broken repository. */
const ofHost =
  /could not resolve|name or service not known|failed to connect|no route to host|refused|unreachable|timed out|error: (429|50[234])\b/i;

/** Whether others at the same host fail like it. */
export function isOfHost(said: string): boolean {
  const cause = causeOf(said);
  return (cause === unreachable || cause === unknownHost) && ofHost.test(said.replaceAll(names, ''));
}

/** Whether its host answered, though with a refusal of this repository. */
export function isRefusal(said: string): boolean {
  const cause = causeOf(said);
  return cause === noLogin || cause === noRepository;
}
