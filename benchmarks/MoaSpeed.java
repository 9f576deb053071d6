import com.yahoo.labs.samoa.instances.Instance;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import moa.classifiers.AbstractClassifier;
import moa.classifiers.Classifier;
import moa.core.Utils;
import moa.streams.ArffFileStream;
import com.github.javacliparser.ClassOption;

/**
 * Has a classifier of MOA learn the examples of a file, which were read before, and then anew, predicting each of them first.
 *
 * Arguments: ARFF file, classifier as MOA's command line has it. Prints seconds of processor of the thread that learns: what
 * compiles and collects in other threads is left out. The last number, of right predictions, keeps these from being left out.
 */
public class MoaSpeed {

    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    public static void main(String[] arguments) throws Exception {
        ArffFileStream stream = new ArffFileStream(arguments[0], -1);
        stream.prepareForUse();
        List<Instance> examples = new ArrayList<>();
        while (stream.hasMoreInstances()) {
            examples.add(stream.nextInstance().getData());
        }
        System.out.println(run(stream, examples, arguments[1], false) + " " + run(stream, examples, arguments[1], true));
    }

    private static String run(ArffFileStream stream, List<Instance> examples, String classifier, boolean predicts)
            throws Exception {
        AbstractClassifier learner = (AbstractClassifier) ClassOption.cliStringToObject(classifier, Classifier.class, null);
        learner.setRandomSeed(1);
        learner.setModelContext(stream.getHeader());
        learner.prepareForUse();
        int right = 0;
        long start = CLOCK.getCurrentThreadCpuTime();
        for (Instance example : examples) {
            if (predicts && Utils.maxIndex(learner.getVotesForInstance(example)) == (int) example.classValue()) {
                right++;
            }
            learner.trainOnInstance(example);
        }
        return (CLOCK.getCurrentThreadCpuTime() - start) / 1e9 + " " + right;
    }
}
