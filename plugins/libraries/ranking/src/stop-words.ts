const wordsOf = (text: string): Set<string> => new Set(text.split(/\s+/));

/** Words that tell nothing of the place. */
export const stopWords = wordsOf(
  `a about above across actually after again all also am an and any are as at be because been before being below between both but
by can cannot class could defined did do does doing don down during each either else etc even ever every few for from function
functions further get gets getting give given gives go goes going got had handle handled handles happen happens has have having
he her here how however i if implement implementation implemented implements in instead into is it its itself just let like many
may maybe me method might more most much must my neither nor not now of off ok on once one only onto or other otherwise our out
over own per please same see seem seems shall she should since so some something such sure tell than that the their them then
there these they this those though through thus to too under until up upon us use used uses using very via want wants was way we
well were what when where whether which while who whom whose why will with within without would yes yet you your
的 是 了 在 和 与 或 给 把 被 吗 呢 吧 我 你 它 有 会 要 能 到 从 对 为 这 那 哪 何 如何 怎么 怎样 什么 哪里
哪儿 哪个 哪些 为什么 为何 是否 可以 何处 いつも どうやって について どうして どのように ください できます しています します
されます`,
);

/** Words of those who ask, or who order a change. They say what is wanted, seldom where. */
const weakWords = wordsOf(
  `add added adding adds allow allows avoid bug change changed changes check clean cleanup code correct correctly
currently enable ensure example feature file files find fix fixed fixes fixing improve introduce issue kind list
locate look looking make makes minor missing move need new old part place possible prevent problem proper properly
provide purpose refactor remove removed removes rename replace return returns rework set show simplify small support
supported supports test tests typo unused update updated updates work works wrong`,
);

export const isStopWord = (word: string): boolean =>
  stopWords.has(word) || (word.length < 2 && /^[\p{ASCII}]$/u.test(word));
export const isWeakWord = (word: string): boolean => weakWords.has(word);
