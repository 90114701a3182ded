zooms := 1 2 3 4 5 6 7 8 9 10
packs := $(zooms:%=out/z%.pack)

all: out/index.json

out/z%.tiles:
	@mkdir -p out
	seq 1 $$(( $* * $* * 40 )) > $@
	@sleep 0.6

out/z%.pack: out/z%.tiles
	sh pack.sh $< $@

out/index.json: $(packs)
	ls $(packs) > $@

.SECONDARY:
