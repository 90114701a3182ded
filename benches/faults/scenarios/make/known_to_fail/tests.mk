names := add sub mul div round parse print locale leap epoch overflow nan
known := locale overflow

test: $(names:%=res/%.trs)
	@echo "tests: $(words $(names)), expected failures: $$(cat res/*.trs | grep -c XFAIL), unexpected failures: $$(cat res/*.trs | grep -c ': FAIL')"
	@! grep -q ': FAIL' res/*.trs

clean:
	-rm -r res
	-test -e config.cache
	-@command -v valgrind-3.99

res/%.trs:
	@mkdir -p res
	@sh one.sh $* "$(known)" > res/$*.out 2>&1; status=$$?; \
	case "$$status $(known)" in 0*) word=PASS ;; *$** ) word=XFAIL ;; *) word=FAIL ;; esac; \
	cat res/$*.out; echo "$*: $$word (status $$status)" | tee $@

.PHONY: test clean
