MINE = True
