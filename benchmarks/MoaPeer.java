import com.github.javacliparser.ClassOption;
import com.yahoo.labs.samoa.instances.Instance;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import moa.classifiers.AbstractClassifier;
import moa.classifiers.Classifier;
import moa.classifiers.meta.AdaptiveRandomForest;
import moa.classifiers.trees.ARFHoeffdingTree;
import moa.core.Utils;
import moa.streams.ArffFileStream;

/**
 * Has a classifier of MOA predict and then learn each example of a file, once a seed.
 *
 * Arguments: ARFF file, classifier as MOA's command line has it, number of seeds, "own" or "shared". Prints a line a seed: seconds
 * of processor, and for each example 1 where it was right, else 0. MOA's adaptive random forest copies one tree with its random
 * numbers, so that all trees begin with the same ones; "shared" leaves it so, "own" gives each tree numbers of its own.
 */
public class MoaPeer {

    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    public static void main(String[] arguments) throws Exception {
        for (int seed = 1; seed <= Integer.parseInt(arguments[2]); seed++) {
            System.out.println(run(arguments[0], arguments[1], seed, arguments[3].equals("own")));
        }
    }

    private static String run(String file, String classifier, int seed, boolean own) throws Exception {
        ArffFileStream stream = new ArffFileStream(file, -1);
        stream.prepareForUse();
        AbstractClassifier learner = (AbstractClassifier) ClassOption.cliStringToObject(classifier, Classifier.class, null);
        learner.setRandomSeed(seed);
        learner.setModelContext(stream.getHeader());
        learner.prepareForUse();
        StringBuilder right = new StringBuilder();
        long nanoseconds = 0;
        while (stream.hasMoreInstances()) {
            Instance example = stream.nextInstance().getData();
            if (own && right.length() == 0) {
                learner.getVotesForInstance(example); // makes the trees
                seedTrees((AdaptiveRandomForest) learner, seed);
            }
            long start = CLOCK.getCurrentThreadCpuTime();
            int told = Utils.maxIndex(learner.getVotesForInstance(example));
            learner.trainOnInstance(example);
            nanoseconds += CLOCK.getCurrentThreadCpuTime() - start;
            right.append(told == (int) example.classValue() ? '1' : '0');
        }
        return nanoseconds / 1e9 + " " + right;
    }

    private static void seedTrees(AdaptiveRandomForest forest, int seed) throws Exception {
        Object[] members = (Object[]) field(AdaptiveRandomForest.class, "ensemble").get(forest);
        for (int m = 0; m < members.length; m++) {
            ARFHoeffdingTree tree = (ARFHoeffdingTree) field(members[m].getClass(), "classifier").get(members[m]);
            field(ARFHoeffdingTree.class, "randomSeed").setInt(tree, 7919 * seed + 104729 * m);
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
