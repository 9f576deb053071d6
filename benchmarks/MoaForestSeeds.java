import com.yahoo.labs.samoa.instances.Instance;
import java.lang.reflect.Field;
import moa.classifiers.meta.AdaptiveRandomForest;
import moa.classifiers.trees.ARFHoeffdingTree;
import moa.streams.ArffFileStream;

/**
 * Prints the prequential accuracy of MOA's adaptive random forest, one line a seed.
 *
 * Arguments: ARFF file, number of trees, "own" or "shared", number of seeds. MOA copies one tree with its random numbers, so
 * that all trees begin with the same ones; "shared" leaves it so and sets their seed, "own" gives each tree one of its own.
 */
public class MoaForestSeeds {

    public static void main(String[] arguments) throws Exception {
        for (int seed = 1; seed <= Integer.parseInt(arguments[3]); seed++) {
            System.out.println(accuracy(arguments[0], arguments[1], arguments[2].equals("own"), seed));
        }
    }

    private static double accuracy(String file, String members, boolean own, int seed) throws Exception {
        ArffFileStream stream = new ArffFileStream(file, -1);
        stream.prepareForUse();
        AdaptiveRandomForest forest = new AdaptiveRandomForest();
        forest.getOptions().setViaCLIString("-s " + members);
        forest.setRandomSeed(seed);
        forest.setModelContext(stream.getHeader());
        forest.prepareForUse();
        int seen = 0;
        int right = 0;
        while (stream.hasMoreInstances()) {
            Instance example = stream.nextInstance().getData();
            if (seen++ == 0) {
                forest.getVotesForInstance(example); // makes the trees
                seedTrees(forest, own, seed);
            }
            right += forest.correctlyClassifies(example) ? 1 : 0;
            forest.trainOnInstance(example);
        }
        return (double) right / seen;
    }

    private static void seedTrees(AdaptiveRandomForest forest, boolean own, int seed) throws Exception {
        Object[] members = (Object[]) field(AdaptiveRandomForest.class, "ensemble").get(forest);
        for (int m = 0; m < members.length; m++) {
            ARFHoeffdingTree tree = (ARFHoeffdingTree) field(members[m].getClass(), "classifier").get(members[m]);
            field(ARFHoeffdingTree.class, "randomSeed").setInt(tree, own ? 7919 * seed + 104729 * m : seed);
            tree.resetLearning();
        }
    }

    private static Field field(Class<?> owner, String name) throws NoSuchFieldException {
        for (Class<?> at = owner; at != null; at = at.getSuperclass()) {
            for (Field found : at.getDeclaredFields()) {
                if (found.getName().equals(name)) {
                    found.setAccessible(true);
                    return found;
                }
            }
        }
        throw new NoSuchFieldException(name);
    }
}
