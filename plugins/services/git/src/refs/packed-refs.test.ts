import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { packedHash } from './packed-refs.ts';

it('finds each of many packed refs as git does, and no other', () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const commits = [builder.commit(), builder.commit(), builder.commit()];
  const names = Array.from({ length: 3000 }, (_, i) => `refs/heads/${'b'.repeat(i % 90)}${i * 7919}`);
  const odd = ['refs/heads/grün', 'refs/heads/Z', `refs/heads/${'long'.repeat(60)}`];
  const unsorted = [...names, ...odd].map((name, i) => `${commits[i % 3]} ${name}\n`).join('');
  writeFileSync(join(builder.folder, 'packed-refs'), `# pack-refs with: peeled fully-peeled \n${unsorted}`);
  builder.tag({ name: 'annotated', message: 'and peeled' });
  builder.git('pack-refs', '--all');
  const file = join(builder.folder, 'packed-refs');
  const refs = builder.git('for-each-ref', '--format=%(refname) %(objectname)').trim().split('\n');
  expect(refs).toHaveLength(3005);
  expect(refs.map((line) => line.split(' ')[0] ?? '').map((ref) => `${ref} ${packedHash(file, ref)}`)).toEqual(refs);
  expect(['refs/heads/b', 'refs/heads', '', 'refs/zzz'].map((ref) => packedHash(file, ref))).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
});

it('leaves to git what is not in order, is no hash, or is not there', () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'packed-refs');
  const hash = 'a'.repeat(40);
  expect(packedHash(file, 'refs/heads/main')).toBeUndefined();
  writeFileSync(file, `# pack-refs with: peeled \n${hash} refs/heads/main\n`);
  expect(packedHash(file, 'refs/heads/main')).toBeUndefined();
  writeFileSync(file, `# pack-refs with: peeled fully-peeled sorted \nref: ${hash} refs/heads/main\n`);
  expect(packedHash(file, 'refs/heads/main')).toBeUndefined();
  writeFileSync(file, `# pack-refs with: peeled fully-peeled sorted \n${'no line end '.repeat(3000)}`);
  expect(packedHash(file, 'refs/heads/main')).toBeUndefined();
});
