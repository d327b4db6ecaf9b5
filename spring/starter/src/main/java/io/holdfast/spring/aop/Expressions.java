package io.holdfast.spring.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ObjectUtils;

/** Parses expressions over the arguments of a method at the start, and evaluates them at each call. */
final class Expressions {

    private static final ParserContext TEMPLATE = new TemplateParserContext();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    /** What {@code #root} is. */
    @SuppressWarnings("ArrayRecordComponent") // an expression reads it as an array
    public record Root(Method method, @Nullable Object[] args, Object target, Class<?> targetClass) {}

    private final BeanFactory beans;

    Expressions(BeanFactory beans) {
        this.beans = beans;
    }

    /** Parses a text with <code>#{...}</code> in it. */
    Expression template(Attributes attributes, String attribute, String text) {
        if (text.contains("#") && !text.contains("#{")) {
            throw attributes.invalid(
                    attribute, "'" + text + "' has a # outside of #{ }; write an expression as #{#id}, for example");
        }
        return parse(attributes, attribute, text, TEMPLATE);
    }

    /** Parses an expression. */
    Expression condition(Attributes attributes, String attribute, String text) {
        return parse(attributes, attribute, text, null);
    }

    private static Expression parse(
            Attributes attributes, String attribute, String text, @Nullable ParserContext context) {
        try {
            Expression parsed = context == null ? PARSER.parseExpression(text) : PARSER.parseExpression(text, context);
            requireKnownVariables(attributes, attribute, parsed);
            return parsed;
        } catch (ParseException | IllegalStateException e) {
            throw attributes.invalid(attribute, "'" + text + "' cannot be parsed: " + e.getMessage());
        }
    }

    /** Refuses a variable that would always be null, most likely because it is misspelled. */
    private static void requireKnownVariables(Attributes attributes, String attribute, Expression expression) {
        Set<String> known = known(attributes.method());
        for (String variable : variables(expression)) {
            if (!known.contains(variable)) {
                throw attributes.invalid(
                        attribute,
                        "there is no variable '" + variable + "'; there are " + known
                                + (NAMES.getParameterNames(attributes.method()) == null
                                        ? ". The class has no names of parameters: compile it with -parameters"
                                        : ""));
            }
        }
    }

    private static Set<String> known(Method method) {
        Set<String> known = new TreeSet<>(Set.of("#root", "#this"));
        String[] names = NAMES.getParameterNames(method);
        // the continuation of a suspending function has no name, and is no argument of an expression
        int count = names != null ? names.length : method.getParameterCount();
        for (int i = 0; i < count; i++) {
            known.add("#a" + i);
            known.add("#p" + i);
            if (names != null) {
                known.add("#" + names[i]);
            }
        }
        return known;
    }

    private static List<String> variables(Expression expression) {
        List<String> found = new ArrayList<>();
        if (expression instanceof CompositeStringExpression several) {
            for (Expression part : several.getExpressions()) {
                found.addAll(variables(part));
            }
        } else if (expression instanceof SpelExpression spel) {
            collect(spel.getAST(), found);
        }
        return found;
    }

    private static void collect(SpelNode node, List<String> found) {
        if (node instanceof VariableReference) {
            found.add(node.toStringAST());
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collect(node.getChild(i), found);
        }
    }

    /**
     * Evaluates a text with <code>#{...}</code> in it for one call. A part that is null or empty would make the names of
     * different arguments equal, so it is refused.
     *
     * @throws IllegalArgumentException if a part fails, or is null or empty
     */
    String name(Attributes attributes, String attribute, Expression template, Call call) {
        EvaluationContext context = context(attributes, call);
        StringBuilder name = new StringBuilder();
        for (Expression part : parts(template)) {
            Object value = evaluate(attributes, attribute, part, context, Object.class);
            if (value == null) {
                throw attributes.unusable(attribute, "'" + part.getExpressionString() + "' is null in this call");
            }
            name.append(requireText(attributes, attribute, part, value));
        }
        return name.toString();
    }

    /** Refuses a value whose text differs in each process or call, so that its lock would exclude nobody. */
    private static String requireText(Attributes attributes, String attribute, Expression part, Object value) {
        String text = value.toString();
        if (text.isEmpty()) {
            throw attributes.unusable(attribute, "'" + part.getExpressionString() + "' is empty in this call");
        }
        if (value.getClass().isArray() || ObjectUtils.identityToString(value).equals(text)) {
            throw attributes.unusable(
                    attribute,
                    "'" + part.getExpressionString() + "' is a "
                            + value.getClass().getTypeName()
                            + ", which has no text of its own; use one of its properties");
        }
        return text;
    }

    private static Expression[] parts(Expression template) {
        return template instanceof CompositeStringExpression several
                ? several.getExpressions()
                : new Expression[] {template};
    }

    /**
     * Evaluates a condition for one call.
     *
     * @throws IllegalArgumentException if the evaluation fails, or if the result is not true or false
     */
    boolean isTrue(Attributes attributes, String attribute, Expression condition, Call call) {
        Boolean value = evaluate(attributes, attribute, condition, context(attributes, call), Boolean.class);
        if (value == null) {
            throw attributes.unusable(attribute, "'" + condition.getExpressionString() + "' is null in this call");
        }
        return value;
    }

    private EvaluationContext context(Attributes attributes, Call call) {
        Root root = new Root(attributes.method(), call.arguments(), call.target(), attributes.type());
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(root, attributes.method(), call.arguments(), NAMES);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return context;
    }

    private static <T> @Nullable T evaluate(
            Attributes attributes, String attribute, Expression expression, EvaluationContext context, Class<T> type) {
        try {
            return expression.getValue(context, type);
        } catch (EvaluationException e) {
            String text = "'" + expression.getExpressionString() + "' cannot be evaluated: " + e.getMessage();
            IllegalArgumentException failure = attributes.unusable(attribute, text);
            failure.initCause(e);
            throw failure;
        }
    }
}
