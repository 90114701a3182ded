chapters := $(wildcard chapters/*.md)
pages := $(chapters:chapters/%.md=html/%.html)

book: prepare $(pages) out/book.html check

prepare: chapters/09-changes.md
	mkdir -p html out

chapters/09-changes.md: history.txt
	sed 's/^/* /' history.txt > $@
	@echo "chapters/09-changes.md: $$(wc -l < $@) releases"

html/%.html: chapters/%.md | prepare
	sed 's/^# \(.*\)/<h1>\1<\/h1>/' $< > $@
	@sleep 0.8; echo "$@: $$(wc -w < $@) words"

out/book.html: $(pages)
	cat $(pages) > $@
	@echo "$@: $(words $(pages)) chapters, $$(wc -c < $@) bytes"

check: out/book.html
	@echo "contents has $$(wc -l < contents.txt) chapters, book has $(words $(pages))"
	@test $$(wc -l < contents.txt) -eq $(words $(pages))

.PHONY: book prepare check
